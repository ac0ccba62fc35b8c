package cupping;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Properties;
import javax.inject.Named;
import javax.inject.Singleton;
import org.apache.maven.eventspy.AbstractEventSpy;
import org.apache.maven.execution.ExecutionEvent;
import org.apache.maven.model.Plugin;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/**
 * Listens to a build of Maven and appends what it says of each Java module to the file of the property
 * {@code cupping.answer}. The format is that of {@code answer.rs}.
 */
@Named("cupping")
@Singleton
public class ProjectSpy extends AbstractEventSpy {
    @Override
    public void onEvent(Object event) throws IOException {
        if (!(event instanceof ExecutionEvent)) {
            return;
        }
        ExecutionEvent happened = (ExecutionEvent) event;
        if (happened.getType() == ExecutionEvent.Type.ProjectSucceeded) {
            String answer = happened.getSession().getUserProperties().getProperty("cupping.answer");
            MavenProject project = happened.getProject();
            if (answer != null && !"pom".equals(project.getPackaging())) {
                Files.writeString(Path.of(answer), describe(project), StandardCharsets.UTF_8,
                        StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
        }
    }

    private static String describe(MavenProject project) {
        StringBuilder text = new StringBuilder();
        line(text, "module", project.getArtifactId());
        line(text, "root", project.getBasedir().getPath());
        all(text, "source", project.getCompileSourceRoots());
        all(text, "test-source", project.getTestCompileSourceRoots());
        line(text, "classes", project.getBuild().getOutputDirectory());
        line(text, "test-classes", project.getBuild().getTestOutputDirectory());
        try {
            all(text, "class-path", project.getTestClasspathElements());
        } catch (org.apache.maven.artifact.DependencyResolutionRequiredException e) {
            line(text, "problem", e.getMessage());
        }
        Properties properties = project.getProperties();
        line(text, "encoding", properties.getProperty("project.build.sourceEncoding"));
        line(text, "release", release(project));
        return text.toString();
    }

    /** What the compiler plugin is configured with, else what the properties say. */
    private static String release(MavenProject project) {
        Plugin compiler = project.getPlugin("org.apache.maven.plugins:maven-compiler-plugin");
        Object configuration = compiler == null ? null : compiler.getConfiguration();
        for (String name : new String[] {"release", "target"}) {
            if (configuration instanceof Xpp3Dom) {
                Xpp3Dom child = ((Xpp3Dom) configuration).getChild(name);
                if (child != null && child.getValue() != null && !child.getValue().contains("${")) {
                    return child.getValue();
                }
            }
            String property = project.getProperties().getProperty("maven.compiler." + name);
            if (property != null) {
                return property;
            }
        }
        return null;
    }

    private static void all(StringBuilder text, String key, List<String> values) {
        for (String value : values) {
            line(text, key, value);
        }
    }

    private static void line(StringBuilder text, String key, String value) {
        if (value != null) {
            String escaped = value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
            text.append(key).append('\t').append(escaped).append('\n');
        }
    }
}
