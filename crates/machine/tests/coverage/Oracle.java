import java.io.*;
import java.lang.reflect.InvocationTargetException;
import java.net.*;
import java.nio.file.*;
import java.util.*;
import java.util.jar.*;
import java.util.stream.*;
import org.jacoco.core.analysis.*;
import org.jacoco.core.data.*;
import org.jacoco.core.instr.Instrumenter;
import org.jacoco.core.internal.data.CRC64;
import org.jacoco.core.runtime.*;

/**
 * Prints JaCoCo's own figures for classes: {@code run MAIN,MAIN DIR} runs programs with JaCoCo's probes in the classes of
 * a folder; {@code random SEED PATH ...} makes up which probes were hit, for the classes of folders and jars.
 */
public final class Oracle {
    /** More than any class has. */
    private static final int MANY_PROBES = 1 << 13;

    private final SortedMap<String, byte[]> classes = new TreeMap<>();
    private final ExecutionDataStore hits = new ExecutionDataStore();

    public static void main(String[] arguments) throws Exception {
        Oracle oracle = new Oracle();
        if (arguments[0].equals("run")) {
            oracle.read(Path.of(arguments[2]));
            oracle.run(arguments[1]);
        } else {
            for (String path : Arrays.copyOfRange(arguments, 2, arguments.length)) {
                oracle.read(Path.of(path));
            }
            oracle.makeUp(Long.parseLong(arguments[1]));
        }
        oracle.print();
    }

    private void read(Path path) throws IOException {
        if (path.toString().endsWith(".jar")) {
            try (JarFile jar = new JarFile(path.toFile())) {
                for (JarEntry entry : Collections.list(jar.entries())) {
                    if (entry.getName().endsWith(".class") && !entry.getName().contains("-info")
                            && !entry.getName().startsWith("META-INF")) {
                        add(entry.getName(), jar.getInputStream(entry).readAllBytes());
                    }
                }
            }
            return;
        }
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".class")).collect(Collectors.toList())) {
                add(path.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
    }

    private void add(String file, byte[] bytes) {
        classes.put(file.substring(0, file.length() - ".class".length()), bytes);
    }

    /** Runs programs and prints what each of them printed. */
    private void run(String mains) throws Exception {
        IRuntime runtime = new LoggerRuntime();
        RuntimeData data = new RuntimeData();
        runtime.startup(data);
        Map<String, byte[]> instrumented = new HashMap<>();
        for (Map.Entry<String, byte[]> entry : classes.entrySet()) {
            byte[] bytes = new Instrumenter(runtime).instrument(entry.getValue(), entry.getKey());
            instrumented.put(entry.getKey().replace('/', '.'), bytes);
        }
        ClassLoader loader = new ClassLoader(Oracle.class.getClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                byte[] bytes = instrumented.get(name);
                if (bytes == null) {
                    throw new ClassNotFoundException(name);
                }
                return defineClass(name, bytes, 0, bytes.length);
            }
        };
        loader.setDefaultAssertionStatus(true);
        PrintStream out = System.out;
        for (String main : mains.split(",")) {
            ByteArrayOutputStream printed = new ByteArrayOutputStream();
            System.setOut(new PrintStream(printed, false, "UTF-8"));
            try {
                loader.loadClass(main).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            } catch (InvocationTargetException | LinkageError thrown) {
                // Some programs end so. What is covered counts all the same.
            }
            System.out.flush();
            StringBuilder text = new StringBuilder("output ").append(main).append(' ');
            for (byte b : printed.toByteArray()) {
                text.append(String.format("%02x", b));
            }
            out.println(text);
        }
        System.setOut(out);
        data.collect(hits, new SessionInfoStore(), false);
        runtime.shutdown();
    }

    private void makeUp(long seed) {
        Random random = new Random(seed);
        for (Map.Entry<String, byte[]> entry : classes.entrySet()) {
            double density = random.nextDouble();
            boolean[] probes = new boolean[MANY_PROBES];
            for (int i = 0; i < probes.length; i++) {
                probes[i] = random.nextDouble() < density;
            }
            hits.put(new ExecutionData(CRC64.classId(entry.getValue()), entry.getKey(), probes));
        }
    }

    private void print() throws IOException {
        StringBuilder out = new StringBuilder();
        for (Map.Entry<String, byte[]> entry : classes.entrySet()) {
            CoverageBuilder builder = new CoverageBuilder();
            new Analyzer(hits, builder).analyzeClass(entry.getValue(), entry.getKey());
            out.append("class ").append(entry.getKey()).append('\n');
            ExecutionData data = hits.get(CRC64.classId(entry.getValue()));
            out.append("probes ").append(data == null ? "" : hex(data.getProbes())).append('\n');
            for (IClassCoverage coverage : builder.getClasses()) {
                print(out, coverage);
            }
        }
        System.out.print(out);
    }

    private static void print(StringBuilder out, IClassCoverage coverage) {
        for (IMethodCoverage method : coverage.getMethods()) {
            out.append("method ").append(method.getName()).append(method.getDesc());
            counters(out, method);
        }
        for (int line = coverage.getFirstLine(); line >= 0 && line <= coverage.getLastLine(); line++) {
            ILine figures = coverage.getLine(line);
            if (figures.getInstructionCounter().getTotalCount() > 0) {
                out.append("line ").append(line);
                counter(out, figures.getInstructionCounter());
                counter(out, figures.getBranchCounter());
                out.append('\n');
            }
        }
        if (!coverage.getMethods().isEmpty()) {
            out.append("all");
            counters(out, coverage);
        }
    }

    private static void counters(StringBuilder out, ICoverageNode node) {
        counter(out, node.getInstructionCounter());
        counter(out, node.getBranchCounter());
        counter(out, node.getLineCounter());
        counter(out, node.getComplexityCounter());
        counter(out, node.getMethodCounter());
        out.append('\n');
    }

    private static void counter(StringBuilder out, ICounter counter) {
        out.append(' ').append(counter.getMissedCount()).append('/').append(counter.getCoveredCount());
    }

    /** Eight probes in two digits, the first in the lowest bit. */
    private static String hex(boolean[] probes) {
        StringBuilder text = new StringBuilder();
        int last = probes.length;
        while (last > 0 && !probes[last - 1]) {
            last--;
        }
        for (int i = 0; i < last; i += 8) {
            int bits = 0;
            for (int bit = 0; bit < 8 && i + bit < last; bit++) {
                bits |= probes[i + bit] ? 1 << bit : 0;
            }
            text.append(String.format("%02x", bits));
        }
        return text.toString();
    }
}
