import java.io.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.nio.file.attribute.*;
import java.util.zip.*;

/** What an ordinary program does with files of its own, threads and the JDK: all of it works. */
public class Ordinary {
    public static void main(String[] arguments) throws Exception {
        Path text = Path.of("text");
        Files.writeString(text, "some text");
        Files.copy(text, Path.of("copy"), StandardCopyOption.COPY_ATTRIBUTES);
        File copy = new File("copy");
        say("modified", copy.setLastModified(86_400_000) && copy.lastModified() == 86_400_000);
        say("read only", copy.setReadOnly() && !Files.getPosixFilePermissions(copy.toPath()).toString().contains("WRITE"));
        Files.setLastModifiedTime(text, FileTime.fromMillis(5000));
        say("time", Files.getLastModifiedTime(text).toMillis() == 5000);
        Files.createSymbolicLink(Path.of("link"), text);
        Files.createLink(Path.of("hard"), text);
        Files.setPosixFilePermissions(text, PosixFilePermissions.fromString("rwx------"));
        say("permissions", PosixFilePermissions.toString(Files.getPosixFilePermissions(text)).equals("rwx------"));
        try (FileChannel channel = FileChannel.open(text, StandardOpenOption.WRITE, StandardOpenOption.READ)) {
            channel.map(FileChannel.MapMode.READ_WRITE, 0, 100).put(0, (byte) 'S');
            channel.lock().release();
            channel.force(true);
            channel.truncate(4);
        }
        say("content", Files.readString(Path.of("hard")).equals("Some"));
        Files.move(text, Files.createDirectories(Path.of("a/b")).resolve("moved"));
        try (ZipOutputStream out = new ZipOutputStream(new FileOutputStream("zip"))) {
            out.putNextEntry(new ZipEntry("entry"));
            out.write(7);
        }
        try (FileSystem zip = FileSystems.newFileSystem(Path.of("zip"))) {
            say("zip", Files.readAllBytes(zip.getPath("entry"))[0] == 7);
        }
        File temporary = File.createTempFile("abc", "def");
        say("temporary", temporary.delete() && new File(System.getProperty("user.home")).isDirectory());
        Thread[] threads = new Thread[50];
        for (int i = 0; i < threads.length; i++) {
            (threads[i] = new Thread(() -> System.gc())).start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Selector.open().selectNow();
        say("compiler", javax.tools.ToolProvider.getSystemJavaCompiler() != null);
        say("random", new java.security.SecureRandom().nextInt() != 0 | true);
        say("host", java.net.InetAddress.getByName("localhost").isLoopbackAddress());
        say("cipher", javax.crypto.Cipher.getInstance("AES/CBC/PKCS5Padding") != null);
        say("TLS", javax.net.ssl.SSLContext.getDefault().getSocketFactory() != null);
        say("charset", java.nio.charset.Charset.defaultCharset() != null);
        say("zone", java.time.ZoneId.systemDefault() != null);
        say("variables", System.getenv().size() <= 10 && System.getenv("CUPPING_SECRET") == null);
    }

    private static void say(String what, boolean works) {
        System.out.println(what + (works ? " works" : " FAILS"));
    }
}
