import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jacoco.agent.rt.RT;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.ICoverageNode;
import org.jacoco.core.analysis.IMethodCoverage;
import org.jacoco.core.tools.ExecFileLoader;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs a whole suite, whoever wrote it, on this JVM and measures with JaCoCo what it covers of the classes of a jar.
 *
 * <pre>java -ea -javaagent:jacocoagent.jar=output=none,includes=... -cp ... Cover JAR NAMES OUT</pre>
 *
 * NAMES is a file with a test class a line. Writes into OUT, tab-separated: a line {@code suite, tests, failed}; for each
 * class with code {@code class, name}, for each of its methods {@code method, class, name, descriptor}, both followed by lines
 * covered, lines, branches covered, branches.
 */
public class Cover {
    public static void main(String[] args) throws Exception {
        List<DiscoverySelector> selectors = new ArrayList<>();
        for (String name : Files.readAllLines(Paths.get(args[1]))) {
            selectors.add(DiscoverySelectors.selectClass(name));
        }
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        Launcher launcher = LauncherFactory.create();
        launcher.execute(LauncherDiscoveryRequestBuilder.request().selectors(selectors).build(), listener);
        TestExecutionSummary summary = listener.getSummary();
        ExecFileLoader execution = new ExecFileLoader();
        execution.load(new ByteArrayInputStream(RT.getAgent().getExecutionData(false)));
        try (PrintStream out = new PrintStream(new File(args[2]), "UTF-8")) {
            out.println("suite\t" + summary.getTestsFoundCount() + "\t" + summary.getTotalFailureCount());
            write(out, new File(args[0]), execution);
        }
        // Some tests leave threads behind.
        System.exit(0);
    }

    private static void write(PrintStream out, File jar, ExecFileLoader execution) throws Exception {
        CoverageBuilder builder = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(execution.getExecutionDataStore(), builder);
        try (JarFile file = new JarFile(jar)) {
            for (JarEntry entry : Collections.list(file.entries())) {
                if (entry.getName().endsWith(".class") && !entry.getName().startsWith("META-INF/")) {
                    try (InputStream bytes = file.getInputStream(entry)) {
                        analyzer.analyzeClass(bytes, entry.getName());
                    }
                }
            }
        }
        List<IClassCoverage> classes = new ArrayList<>(builder.getClasses());
        classes.sort((a, b) -> a.getName().compareTo(b.getName()));
        for (IClassCoverage one : classes) {
            String name = one.getName().replace('/', '.');
            out.println("class\t" + name + "\t" + figures(one));
            for (IMethodCoverage method : one.getMethods()) {
                out.println("method\t" + name + "\t" + method.getName() + "\t" + method.getDesc() + "\t" + figures(method));
            }
        }
    }

    private static String figures(ICoverageNode node) {
        ICounter lines = node.getLineCounter();
        ICounter branches = node.getBranchCounter();
        return lines.getCoveredCount() + "\t" + lines.getTotalCount() + "\t" + branches.getCoveredCount() + "\t"
            + branches.getTotalCount();
    }
}
