# Joins what people's suites cover with what Cupping's tests cover and why they do not cover more (scripts/human.sh).

function top(name) {
    sub(/\$.*/, "", name)
    return name
}

function percent(covered, total) {
    return total == 0 ? "    -" : sprintf("%4.0f%%", 100 * covered / total)
}

FNR == 1 {
    side = FILENAME
    sub(/.*\./, "", side)
}

side != "causes" && $1 == "suite" {
    tests[side] += $2
    failed[side] += $3
}

side != "causes" && $1 == "class" && $4 + $6 > 0 {
    name = top($2)
    if (!(name in seen)) {
        seen[name] = ++rows
        row[rows] = name
    }
    lines[side, name] += $3
    branches[side, name] += $5
    if (side == "people") {
        allLines[name] += $4
        allBranches[name] += $6
    }
}

side != "causes" && $1 == "method" {
    key = $2 "\t" $3 "\t" $4
    covered[side, key] = $7
    if (side == "people" && !(key in methodSeen)) {
        methodSeen[key] = 1
        methodKeys[++methods] = key
    }
}

side == "causes" && $1 == "made" {
    worked[top($2)] = 1
    asked[$2] = 1
    made[top($2)] += $3 + $4
    time[top($2)] += $5 / 1000
}

side == "causes" && $1 == "error" { error[$2] = 1 }
side == "causes" && $1 == "cause" { told_causes = 1; cause[$2 "\t" $3 "\t" $4] = $5; detail[$2 "\t" $3 "\t" $4] = $6 }

# Why ours cover less of a method.
function why(key, class) {
    if (key in cause) return cause[key]
    class = key
    sub(/\t.*/, "", class)
    if (class in error) return "class not done"
    if (!(class in asked)) return "nested class that no test can name"
    # What the search covered and the tests do not: tests that were not chosen, or did not hold on the JDK.
    return told_causes ? "covered while searching" : "no causes are told"
}

END {
    printf "budget %s a class%s; %d tests of people (%d failed), %d of Cupping (%d failed)\n\n", budget, \
        (sample > 1 ? ", every " sample "th class" : ""), tests["people"], failed["people"], tests["ours"], failed["ours"]
    form = "%-52s %5s %6s | %5s %6s %6s | %5s %6s %6s\n"
    printf form, "class", "tests", "s", "lines", "people", "ours", "brs", "people", "ours"
    for (at = 1; at <= rows; at++) {
        name = row[at]
        if (!(name in worked) && sample > 1) continue
        classes++
        short = name
        sub(/^org\.apache\.commons\./, "", short)
        p = allLines[name] ? lines["people", name] / allLines[name] : 1
        o = allLines[name] ? lines["ours", name] / allLines[name] : 1
        if (allLines[name]) { meanLines["people"] += p; meanLines["ours"] += o; withLines++ }
        if (allBranches[name]) {
            p = branches["people", name] / allBranches[name]
            o = branches["ours", name] / allBranches[name]
            meanBranches["people"] += p
            meanBranches["ours"] += o
            withBranches++
            if (o > p) better++
            else if (o == p) same++
            else worse++
        }
        sum["people", "l"] += lines["people", name]; sum["ours", "l"] += lines["ours", name]; sum["l"] += allLines[name]
        sum["people", "b"] += branches["people", name]; sum["ours", "b"] += branches["ours", name]; sum["b"] += allBranches[name]
        printf form, short, made[name] + 0, sprintf("%.1f", time[name]), allLines[name], \
            percent(lines["people", name], allLines[name]), percent(lines["ours", name], allLines[name]), allBranches[name], \
            percent(branches["people", name], allBranches[name]), percent(branches["ours", name], allBranches[name])
    }
    if (withLines == 0 || withBranches == 0) {
        print "nothing was measured"
        exit 1
    }
    share = 100 * meanBranches["ours"] / meanBranches["people"]
    printf "\n%d classes; mean line coverage %.1f %% by people, %.1f %% by Cupping; mean branch coverage %.1f %% and %.1f %%: %.1f %% of the people's\n", \
        classes, 100 * meanLines["people"] / withLines, 100 * meanLines["ours"] / withLines, \
        100 * meanBranches["people"] / withBranches, 100 * meanBranches["ours"] / withBranches, \
        share
    printf "all lines %d: %d and %d; all branches %d: %d and %d; branches by class: more in %d, the same in %d, fewer in %d\n", \
        sum["l"], sum["people", "l"], sum["ours", "l"], sum["b"], sum["people", "b"], sum["ours", "b"], better, same, worse
    for (at = 1; at <= methods; at++) {
        key = methodKeys[at]
        class = key
        sub(/\t.*/, "", class)
        lost = covered["people", key] - covered["ours", key]
        if (lost <= 0 || (sample > 1 && !(top(class) in worked))) continue
        reason = why(key)
        losses[reason] += lost
        losers[reason]++
        if (key in detail && detail[key] != "") {
            losses[reason, detail[key]] += lost
            if (!((reason, detail[key]) in known)) {
                known[reason, detail[key]] = 1
                details[reason, ++detailCount[reason]] = detail[key]
            }
        }
    }
    print "\nbranches that people cover and Cupping does not, by cause (methods; what it was most often)"
    # Largest first; there are few.
    while (1) {
        most = ""
        for (reason in losers) if (!(reason in told) && (most == "" || losses[reason] > losses[most] || (losses[reason] == losses[most] && reason < most))) most = reason
        if (most == "") break
        told[most] = 1
        printf "%6d  %s (%d)\n", losses[most], most, losers[most]
        for (place = 1; place <= 5; place++) {
            best = 0
            for (d = 1; d <= detailCount[most]; d++) {
                if (!((most, d) in shown) && (best == 0 || losses[most, details[most, d]] > losses[most, details[most, best]])) best = d
            }
            if (best == 0) break
            shown[most, best] = 1
            printf "%14d  %s\n", losses[most, details[most, best]], substr(details[most, best], 1, 100)
        }
    }
    exit share < 80
}
