package cupping;

import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Finds the tests of a suite and runs them, one by one or all in one go. */
public final class SuiteRunner {
    private static final List<String> TESTS = new ArrayList<>();
    private static final List<DiscoverySelector> CLASSES = new ArrayList<>();
    private static final List<String> UNUSABLE = new ArrayList<>();
    private static Launcher launcher;

    private SuiteRunner() {
    }

    /** Finds the tests of these classes, a name a line: each test, and each method that makes tests when it runs. */
    static int find(String classes) {
        Thread.currentThread().setContextClassLoader(ClassLoader.getSystemClassLoader());
        if (launcher == null) {
            launcher = LauncherFactory.create();
        }
        for (String name : classes.split("\n")) {
            DiscoverySelector selector = DiscoverySelectors.selectClass(name);
            TestPlan plan = launcher.discover(request(selector));
            CLASSES.add(selector);
            for (TestIdentifier root : plan.getRoots()) {
                for (TestIdentifier one : plan.getDescendants(root)) {
                    boolean isMethod = one.getSource().isPresent()
                        && one.getSource().get() instanceof org.junit.platform.engine.support.descriptor.MethodSource;
                    if (one.isTest() || (isMethod && plan.getChildren(one).isEmpty())) {
                        TESTS.add(one.getUniqueId());
                    }
                }
            }
        }
        return TESTS.size();
    }

    /** The same, without the classes that cannot be searched; what is wrong with these is said by {@link #unusable}. */
    static int findUsable(String classes) {
        for (String name : classes.split("\n")) {
            try {
                find(name);
            } catch (RuntimeException | LinkageError wrong) {
                Throwable cause = wrong;
                while (cause.getCause() != null && cause.getCause() != cause) {
                    cause = cause.getCause();
                }
                UNUSABLE.add(name + ": " + cause);
            }
        }
        return TESTS.size();
    }

    /** A line for each class that cannot be searched for tests. */
    static String unusable() {
        return String.join("\n", UNUSABLE);
    }

    /** The id of a test. */
    static String name(int test) {
        return TESTS.get(test);
    }

    /** Runs a test: 0 if it passed, 1 if it failed, 2 if nothing ran. */
    static int run(int test) {
        Ends ends = new Ends();
        launcher.execute(request(DiscoverySelectors.selectUniqueId(TESTS.get(test))), ends);
        return ends.failed ? 1 : ends.passed ? 0 : 2;
    }

    /** Runs all tests that were found; how many tests and containers failed. */
    static int runAll() {
        Ends ends = new Ends();
        launcher.execute(request(CLASSES.toArray(new DiscoverySelector[0])), ends);
        return ends.failures;
    }

    private static LauncherDiscoveryRequest request(DiscoverySelector... selectors) {
        return LauncherDiscoveryRequestBuilder.request().selectors(selectors).build();
    }

    private static final class Ends implements TestExecutionListener {
        boolean passed;
        boolean failed;
        int failures;

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                failed = true;
                failures++;
            } else if (test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
                passed = true;
            }
        }
    }
}
