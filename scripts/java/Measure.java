import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import org.jacoco.agent.rt.RT;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.tools.ExecFileLoader;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs the generated tests of each class on this JVM and measures the class's coverage with JaCoCo.
 *
 * <pre>java -ea -javaagent:jacocoagent.jar=output=none,includes=... -cp JUNIT:JACOCO:MEASURE Measure PATH CLASS...</pre>
 *
 * PATH holds the classes under test and the compiled tests, and must not be on the JVM's own class path: each class
 * under test gets a fresh class loader, so that its static initialisers run and count. The tests of {@code C} are
 * {@code CTest} and {@code CFailingTest}, where they exist. Prints one tab-separated line a class: name, tests run,
 * tests failed, lines covered, lines, branches covered, branches (of the class itself, without nested ones); details of
 * failures go to standard error. Exits with 1 if a test failed.
 */
public class Measure {
    public static void main(String[] args) throws Exception {
        List<URL> path = new ArrayList<>();
        for (String entry : args[0].split(File.pathSeparator)) {
            path.add(new File(entry).toURI().toURL());
        }
        long failures = 0;
        for (int i = 1; i < args.length; i++) {
            failures += measure(path.toArray(new URL[0]), args[i]);
        }
        System.out.flush();
        System.exit(failures == 0 ? 0 : 1);
    }

    private static long measure(URL[] path, String name) throws Exception {
        URLClassLoader loader = new URLClassLoader(path, Measure.class.getClassLoader());
        loader.setDefaultAssertionStatus(true);
        Thread.currentThread().setContextClassLoader(loader);
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
        for (String suffix : new String[] {"Test", "FailingTest"}) {
            if (loader.getResource(name.replace('.', '/') + suffix + ".class") != null) {
                request.selectors(DiscoverySelectors.selectClass(Class.forName(name + suffix, false, loader)));
            }
        }
        RT.getAgent().reset();
        TestExecutionSummary summary = run(request.build());
        IClassCoverage coverage = coverage(loader, name, RT.getAgent().getExecutionData(true));
        ICounter lines = coverage.getLineCounter();
        ICounter branches = coverage.getBranchCounter();
        for (TestExecutionSummary.Failure failure : summary.getFailures()) {
            System.err.println(name + ": " + failure.getTestIdentifier().getDisplayName() + ": " + failure.getException());
        }
        long failed = summary.getTotalFailureCount();
        System.out.println(name + "\t" + summary.getTestsFoundCount() + "\t" + failed + "\t" + lines.getCoveredCount()
            + "\t" + lines.getTotalCount() + "\t" + branches.getCoveredCount() + "\t" + branches.getTotalCount());
        return failed;
    }

    private static TestExecutionSummary run(LauncherDiscoveryRequest request) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        Launcher launcher = LauncherFactory.create();
        launcher.execute(request, listener);
        return listener.getSummary();
    }

    private static IClassCoverage coverage(ClassLoader loader, String name, byte[] data) throws Exception {
        ExecFileLoader execution = new ExecFileLoader();
        execution.load(new ByteArrayInputStream(data));
        CoverageBuilder builder = new CoverageBuilder();
        String file = name.replace('.', '/') + ".class";
        try (InputStream bytes = loader.getResourceAsStream(file)) {
            new Analyzer(execution.getExecutionDataStore(), builder).analyzeClass(bytes, file);
        }
        return builder.getClasses().iterator().next();
    }
}
