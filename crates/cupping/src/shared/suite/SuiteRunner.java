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

/** Finds the tests of a suite, and runs them one by one, as {@code cupping mutants} tells it on the machine. */
public final class MutantRunner {
    private static final List<String> TESTS = new ArrayList<>();
    private static final List<String> UNUSABLE = new ArrayList<>();
    private static Launcher launcher;

    private MutantRunner() {
    }

    /** Finds the tests of these classes, a name a line: each test, and each method that makes tests when it runs. */
    static int find(String classes) {
        Thread.currentThread().setContextClassLoader(ClassLoader.getSystemClassLoader());
        if (launcher == null) {
            launcher = LauncherFactory.create();
        }
        for (String name : classes.split("\n")) {
            TestPlan plan = launcher.discover(request(DiscoverySelectors.selectClass(name)));
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

    private static LauncherDiscoveryRequest request(DiscoverySelector selector) {
        return LauncherDiscoveryRequestBuilder.request().selectors(selector).build();
    }

    private static final class Ends implements TestExecutionListener {
        boolean passed;
        boolean failed;

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                failed = true;
            } else if (test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
                passed = true;
            }
        }
    }
}
