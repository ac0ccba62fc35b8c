import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Many shapes of code, each run in part, so that every kind of line and branch is there covered and not. */
public class Shapes {
    static int field;

    public static void main(String[] arguments) {
        Shapes shapes = new Shapes();
        field += loops(3) + loops(0);
        field += conditions(1, 5) + conditions(-1, 0);
        field += intSwitch(1) + intSwitch(2) + denseSwitch(7);
        field += stringSwitch("one") + stringSwitch("AaAa") + stringSwitch("none");
        field += onlyDefault("x");
        field += enumSwitch(Colour.RED);
        field += finallyReturns(1) + finallyReturns(0) + nestedFinally(2);
        field += emptyCatch("12") + emptyCatch("x");
        field += resources(false) + quiet(() -> resources(true)) + twoResources();
        field += shapes.locked(2) + quiet(() -> shapes.locked(-1));
        field += quiet(() -> middle(new int[1], 3)) + middle(new int[4], 3);
        field += asserted(3) + quiet(() -> asserted(-3));
        field += lambdas(4);
        field += quiet(Shapes::thrower);
        field += shapes.new Inner().value() + Local.make().get();
        field += deadEnds(1) + labelled(4) + bits(true, false);
        field += new Generic<String>().compareTo("x");
        field += doWhile(2) + conditionalLoop(Arrays.asList("a", "bb", ""));
    }

    static int quiet(Supplier<Integer> code) {
        try {
            return code.get();
        } catch (RuntimeException | AssertionError thrown) {
            return -1;
        }
    }

    static int loops(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            if (i == 1) continue;
            if (i == 7) break;
            sum += i;
        }
        while (sum > 100) {
            sum--;
        }
        return sum;
    }

    static int doWhile(int count) {
        do {
            count--;
        } while (count > 0 && count != 7);
        return count;
    }

    static int conditions(int a, int b) {
        int result = a > 0 && b > 0 ? 1 : a < -5 || b < -5 ? 2 : 3;
        boolean both = a == b & a != 0;
        if (both)
            result++;
        else if (result == 3)
            result--;
        return both ? result : !both && a > b ? 4 : 5;
    }

    static int intSwitch(int value) {
        switch (value) {
            case 1:
                return 10;
            case 2:
            case 200:
                value++;
            case 3000:
                value += 2;
                break;
            default:
                value = 0;
        }
        return value;
    }

    static int denseSwitch(int value) {
        switch (value) {
            case 5: return 1;
            case 6: return 2;
            case 7: return 3;
            case 9: return 4;
        }
        return 0;
    }

    static int stringSwitch(String value) {
        switch (value) {
            case "one":
                return 1;
            case "AaAa":
                return 2;
            case "BBBB":
                return 3;
            case "AaBB":
            case "two":
                value = "z";
                break;
            default:
                return 0;
        }
        return value.length();
    }

    static int onlyDefault(String value) {
        switch (value) {
            case "a":
                break;
        }
        return 1;
    }

    enum Colour {
        RED, GREEN { @Override int weight() { return 2; } };

        int weight() {
            return 1;
        }
    }

    enum Sized {
        SMALL(1), LARGE(2);

        private final int size;

        Sized(int size) {
            this.size = size;
        }
    }

    static int enumSwitch(Colour colour) {
        switch (colour) {
            case RED:
                return colour.weight();
            case GREEN:
                return Sized.LARGE.size;
            default:
                return 0;
        }
    }

    static int finallyReturns(int value) {
        try {
            if (value == 0) {
                return 1;
            }
            value += 10 / value;
        } catch (ArithmeticException thrown) {
            value = 2;
        } finally {
            field++;
            if (value > 100) {
                field--;
            }
        }
        return value;
    }

    static int nestedFinally(int value) {
        for (int i = 0; i < value; i++) {
            try {
                try {
                    if (i == 5) break;
                    if (i == 1) continue;
                    field += i;
                } finally {
                    field++;
                }
            } finally {
                field += 2;
            }
        }
        try {
            field++;
        } finally {
            return field;
        }
    }

    static int emptyCatch(String text) {
        int value = 0;
        try {
            value = Integer.parseInt(text);
        } catch (NumberFormatException ignored) {
        } finally {
            value++;
        }
        return value;
    }

    static class Resource implements AutoCloseable {
        final boolean fails;

        Resource(boolean fails) {
            this.fails = fails;
        }

        int use() {
            if (fails) throw new IllegalStateException();
            return 1;
        }

        @Override
        public void close() {
            field++;
        }
    }

    static int resources(boolean fails) {
        int result = 0;
        try (Resource resource = new Resource(fails)) {
            result = resource.use();
        }
        return result;
    }

    static Resource maybe(boolean there) {
        return there ? new Resource(false) : null;
    }

    static int twoResources() {
        try (Resource one = new Resource(false); Resource two = maybe(false)) {
            return one.use() + (two == null ? 1 : two.use());
        } catch (IllegalStateException thrown) {
            return 7;
        } finally {
            field++;
        }
    }

    private final Object lock = new Object();

    int locked(int value) {
        synchronized (lock) {
            if (value < 0) {
                throw new IllegalArgumentException();
            }
            value++;
        }
        return value;
    }

    static int middle(int[] array, int index) {
        int before = 1;
        before += array[index]; before *= 2;
        int after = before + field;
        array[0] = after;
        helper(array);
        return array[index] + array.length;
    }

    static void helper(int[] array) {
        array[0]++;
    }

    static int asserted(int value) {
        assert value > 0 : "value " + value;
        return value;
    }

    static int lambdas(int value) {
        Function<Integer, Integer> used = x -> x + value;
        Function<Integer, Integer> unused = x -> {
            int y = x * 2;
            return y > 0 ? y : -y;
        };
        Supplier<List<String>> reference = ArrayList::new;
        return used.apply(1) + reference.get().size() + (value == 99 ? unused.apply(1) : 0);
    }

    static int thrower() {
        int value = field;
        if (value != Integer.MIN_VALUE) {
            throw new UnsupportedOperationException("text " + value
                    + " more");
        }
        return value;
    }

    class Inner {
        int value() {
            return field + Shapes.this.lock.hashCode() * 0;
        }
    }

    static class Local {
        private Local() {}

        static Supplier<Integer> make() {
            int captured = field;
            class Named implements Supplier<Integer> {
                @Override
                public Integer get() {
                    return captured > 0 ? 1 : 2;
                }
            }
            return new Supplier<Integer>() {
                private final Named named = new Named();

                @Override
                public Integer get() {
                    return named.get();
                }
            };
        }
    }

    static class Generic<T> implements Comparable<T> {
        private int uses = 0;
        private final List<T> seen = new ArrayList<>();

        Generic() {}

        Generic(int uses) {
            this();
            this.uses = uses;
        }

        @Override
        public int compareTo(T other) {
            seen.add(other);
            return uses;
        }
    }

    interface Greeter {
        int LENGTH = "greeting".length();

        default int greet() {
            return LENGTH;
        }

        static int none() {
            return 0;
        }
    }

    static int deadEnds(int value) {
        while (true) {
            if (value > 3) return value;
            value++;
            try {
                if (value == 2) continue;
                throw new IllegalStateException();
            } catch (IllegalStateException thrown) {
                value = 5;
            }
        }
    }

    static int labelled(int value) {
        outer:
        for (int i = 0; i < value; i++) {
            for (int j = 0; j < value; j++) {
                if (j == 2) continue outer;
                if (i == 3) break outer;
                field++;
            }
        }
        return field;
    }

    static int bits(boolean a, boolean b) {
        boolean x = a ^ b, y = !a, z = a || b && !y;
        long big = 1L << 40;
        double d = 1.5;
        return (x ? 1 : 0) + (z ? 2 : 0) + (big > 5L ? 4 : 0) + (d < 2.0 ? 8 : 16);
    }

    static int conditionalLoop(List<String> texts) {
        int length = 0;
        for (String text : texts) {
            if (text.isEmpty()
                    || text.length() > 5)
                length--;
            length += text
                    .trim()
                    .length();
        }
        return length;
    }
}
