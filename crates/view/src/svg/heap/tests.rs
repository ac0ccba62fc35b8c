use super::*;

fn round(text: &str) -> HeapNode {
    HeapNode { title: text.into(), form: Form::Round(text.into(), None), is_new: false }
}

fn link(from: usize, to: usize, label: &str) -> Link {
    Link { from, to, label: label.into(), is_changed: false }
}

fn heap(count: usize, links: Vec<Link>) -> Heap {
    let starts = vec![Start { name: "this".into(), target: StartTarget::Node(0) }];
    Heap { starts, nodes: (0..count).map(|at| round(&at.to_string())).collect(), links }
}

#[test]
fn a_list_runs_from_left_to_right() {
    let heap = heap(3, vec![link(0, 1, "next"), link(1, 2, "next"), link(2, 0, "next")]);
    let places = Layout::of(&heap).middles;
    assert!(places[0].0 < places[1].0 && places[1].0 < places[2].0, "{places:?}");
    assert!(places.iter().all(|it| it.1 == places[0].1), "{places:?}");
    let drawn = heap.draw("list").file();
    assert_eq!(drawn.matches("line dashed").count(), 1, "the link that closes the circle: {drawn}");
}

#[test]
fn a_binary_tree_is_in_order_and_parents_are_not_drawn() {
    let links = vec![link(0, 2, "right"), link(0, 1, "left"), link(1, 0, "parent"), link(2, 0, "parent")];
    let heap = heap(3, links);
    let places = Layout::of(&heap).middles;
    assert!(places[1].0 < places[0].0 && places[0].0 < places[2].0, "{places:?}");
    assert!(places[0].1 < places[1].1);
    let drawn = heap.draw("tree").file();
    assert!(!drawn.contains("parent") && !drawn.contains("line dashed"), "{drawn}");
}

#[test]
fn drawn_objects_do_not_overlap() {
    let mut heap = heap(7, (1..7).map(|at| link((at - 1) / 3, at, "child")).collect());
    let row =
        |name: &str| HeapRow { name: name.into(), value: "a rather long value".into(), is_changed: true };
    heap.nodes[1].form = Form::Rows("Order".into(), vec![row("customer"), row("total")]);
    let layout = Layout::of(&heap);
    for a in 0..7 {
        for b in 0..a {
            let ((ax, ay), (bx, by)) = (layout.middles[a], layout.middles[b]);
            let apart_x = (ax - bx).abs() >= heap.nodes[a].half_width() + heap.nodes[b].half_width();
            let apart_y = (ay - by).abs() >= heap.nodes[a].half_height() + heap.nodes[b].half_height();
            assert!(apart_x || apart_y, "{a} and {b}: {:?}", layout.middles);
        }
    }
}

#[test]
fn links_to_nowhere_and_values_are_fine() {
    let mut heap = heap(1, vec![link(0, 5, "gone"), link(0, 0, "self")]);
    heap.starts.push(Start { name: "n".into(), target: StartTarget::Text("<3>".into()) });
    heap.starts.push(Start { name: "x".into(), target: StartTarget::Node(9) });
    let drawn = heap.draw("heap").file();
    assert!(
        drawn.contains("n = &lt;3&gt;") && !drawn.contains("gone") && drawn.contains(">self<"),
        "{drawn}"
    );
    Heap::default().draw("nothing").file();
}
