#!/usr/bin/env bash
# ./x bench mutants: how many small faults in the classes of a library its own suite, written by people, notices, and
# how many Cupping's tests do. Both are run on the machine, mutant by mutant (docs/mutants.md).
#
#   scripts/mutants.sh CUPPING [--library NAME] [--half develop|judge] [--budget TIME] [--work TIME] [--seed N]
#       [--sample N]
#
# --library: commons-codec, all of it, unless told; commons-lang3, its ten largest classes that have tests; or
# commons-collections4, its package map. --half: only a half of its classes, drawn once by a seed: tests are improved
# while looking at the first, and judged by the second. --budget or --work: for each class when tests are generated, 10s
# unless told. --sample: mutants that are judged, 500 unless told. All it makes is in target/mutants.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

[ $# -ge 1 ] || die "usage: scripts/mutants.sh CUPPING [--library NAME] [--half HALF] [--budget TIME] [--sample N]"
cupping=$1
shift
limit=(--budget 10s) sample=500 suite=commons-codec half=all seed=0
while [ $# -gt 0 ]; do
    case $1 in
        --budget | --work) limit=("$1" "$2") && shift 2 ;;
        --sample) sample=$2 && shift 2 ;;
        --library) suite=$2 && shift 2 ;;
        --half) half=$2 && shift 2 ;;
        --seed) seed=$2 && shift 2 ;;
        *) die "no option of scripts/mutants.sh: $1" ;;
    esac
done

# Top-level classes, nested ones belong to them; and the classes of people's suite: all, or those that are about these.
case $suite in
    commons-codec)
        package=org.apache.commons.codec tests=.
        ;;
    commons-lang3)
        package=org.apache.commons.lang3
        develop=(ClassUtils StringUtils builder.ToStringStyle reflect.TypeUtils text.StrBuilder)
        judge=(ArrayUtils Conversion function.Failable reflect.MethodUtils text.StrSubstitutor)
        tests='lang3\.(ArrayUtils|ClassUtils|Conversion|StringUtils)|ToStringStyle|function\.Failable|MethodUtilsTest'
        tests+='|TypeUtilsTest|text\.StrBuilder|text\.StrSubst'
        ;;
    commons-collections4)
        package=org.apache.commons.collections4.map
        develop=(AbstractInputCheckedMapDecorator AbstractMapDecorator AbstractSortedMapDecorator DefaultedMap
            EntrySetToMapIteratorAdapter FixedSizeMap FixedSizeSortedMap Flat3Map HashedMap LRUMap LazyMap LazySortedMap
            PredicatedMap ReferenceMap TransformedMap TransformedSortedMap UnmodifiableEntrySet UnmodifiableSortedMap)
        judge=(AbstractHashedMap AbstractIterableMap AbstractLinkedMap AbstractOrderedMapDecorator AbstractReferenceMap
            CaseInsensitiveMap CompositeMap LinkedMap ListOrderedMap MultiKeyMap MultiValueMap PassiveExpiringMap
            PredicatedSortedMap ReferenceIdentityMap SingletonMap StaticBucketMap UnmodifiableMap
            UnmodifiableOrderedMap)
        tests='collections4\.map\.'
        ;;
    *) die "--library: commons-codec, commons-lang3 or commons-collections4, not $suite" ;;
esac
if [ "$suite" = commons-codec ]; then
    [ "$half" = all ] || die "--half: commons-codec is not divided"
else
    case $half in
        all) chosen=("${develop[@]}" "${judge[@]}") ;;
        develop) chosen=("${develop[@]}") ;;
        judge) chosen=("${judge[@]}") ;;
        *) die "--half: develop or judge, not $half" ;;
    esac
fi

cache=${CUPPING_SUITES_DIR:-$HOME/.cache/cupping-suites}
jdk=${CUPPING_SUITES_JDK:-/usr/lib/jvm/java-17-openjdk-amd64}
jars=/usr/share/java
work=$PWD/target/mutants
scripts/suites.sh prepare
junit=$(printf "$jars/%s.jar:" junit4 hamcrest junit-jupiter-api junit-jupiter-params junit-platform-commons \
    junit-platform-engine junit-platform-launcher junit-jupiter-engine junit-vintage-engine opentest4j apiguardian-api \
    univocity-parsers easymock objenesis byte-buddy jsr305 commons-lang3 commons-io)
junit=${junit%:}

rm -rf "$work"
mkdir -p "$work/ours" "$work/theirs"
mapfile -t classes < <("$jdk/bin/jar" tf "$jars/$suite.jar" | grep "^${package//.//}/.*\.class$" | grep -v '\$[0-9]' |
    sed 's,\.class$,,; s,/,.,g' | LC_ALL=C sort |
    awk -v package="$package." -v chosen="${chosen[*]:-}" '
        BEGIN { count = split(chosen, names, " "); for (at in names) wanted[package names[at]] = 1 }
        { split($0, parts, "$"); if (count == 0 || parts[1] in wanted) print }')
say "cupping generate ${limit[*]}, ${#classes[@]} classes"
code=0
"$cupping" generate --jdk "$jdk" --classpath "$jars/$suite.jar" --out "$work/tests" "${limit[@]}" --seed "$seed" \
    --quiet --jobs "$(nproc)" "${classes[@]}" >"$work/said" 2>&1 || code=$?
# Of the classes that are named, private ones and interfaces are refused.
[ "$code" -le 3 ] || die "cupping generate ended with $code: see $work/said"
find "$work/tests" -name '*.java' | LC_ALL=C sort >"$work/files"
"$jdk/bin/javac" -encoding UTF-8 -nowarn -Xlint:none -cp "$junit:$jars/$suite.jar" -d "$work/ours" "@$work/files"
# Other classes of people's suite are on the class path, so that these find what they share.
grep -E "$tests" "$cache/$suite/names" | sed 's,\.,/,g' | while read -r name; do
    (cd "$cache/$suite/classes" && cp --parents "$name".class "$work/theirs" &&
        find . -path "./$name\$*.class" -exec cp --parents {} "$work/theirs" \;)
done
say "cupping mutants --sample $sample"
# Tests read files of the sources.
cd "$cache/$suite/source"
"$cupping" mutants --jdk "$jdk" --classpath "$jars/$suite.jar:$cache/pioneer:$cache/$suite/classes:$junit" \
    --suite "$work/theirs" --suite "$work/ours" --sample "$sample" --json "$work/mutants.json" "${classes[@]}"
xargs awk '
    /@Test|@ParameterizedTest/ { tests++; said = 0; inside = 1 }
    inside && /assert[A-Z][A-Za-z]*\(|fail\(/ { asserts += gsub(/assert[A-Z][A-Za-z]*\(|fail\(/, "&"); said = 1 }
    inside && /^    }$/ { if (!said) without++; inside = 0 }
    END { printf "our tests: %d, assertions: %.2f a test, without one: %d\n", tests, asserts / tests, without }' \
    <"$work/files"
