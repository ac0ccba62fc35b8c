import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.file.*;
import java.nio.file.attribute.*;
import java.util.*;

/** Tries what a confined program must not. The first argument is a folder that is not its own, the second a port where someone listens. */
public class Attack {
    interface Try {
        void run() throws Throwable;
    }

    static void attempt(String what, Try body) {
        try {
            body.run();
            System.out.println(what + " SUCCEEDED");
        } catch (Throwable refused) {
            System.out.println(what + " refused");
        }
    }

    static void must(boolean done) throws IOException {
        if (!done) {
            throw new IOException("not done");
        }
    }

    public static void main(String[] arguments) throws Exception {
        Path victim = Path.of(arguments[0]);
        Path file = victim.resolve("file");
        int port = Integer.parseInt(arguments[1]);
        attempt("read", () -> Files.readString(file));
        attempt("list", () -> Files.list(victim).count());
        attempt("write", () -> Files.writeString(file, "x"));
        attempt("append", () -> new FileOutputStream(file.toFile(), true));
        attempt("create", () -> Files.createFile(victim.resolve("new")));
        attempt("delete", () -> Files.delete(file));
        attempt("delete folder", () -> Files.delete(victim.resolve("empty")));
        attempt("rename", () -> Files.move(file, victim.resolve("other")));
        attempt("steal", () -> Files.move(file, Path.of("stolen")));
        attempt("create folder", () -> Files.createDirectory(victim.resolve("made")));
        attempt("hard link", () -> Files.createLink(Path.of("hard"), file));
        attempt("through a link", () -> {
            Files.createSymbolicLink(Path.of("link"), victim);
            Files.writeString(Path.of("link/file"), "x");
        });
        attempt("permissions through a link", () -> Files.setPosixFilePermissions(Path.of("link/file"), Set.of()));
        attempt("permissions", () -> Files.setPosixFilePermissions(file, Set.of()));
        attempt("read only", () -> must(file.toFile().setReadOnly()));
        attempt("time", () -> must(file.toFile().setLastModified(0)));
        attempt("time of a folder", () -> Files.setLastModifiedTime(victim, FileTime.fromMillis(0)));
        attempt("owner", () -> Files.setOwner(file, Files.getOwner(file)));
        attempt("attribute", () -> Files.setAttribute(file, "user:a", ByteBuffer.wrap(new byte[1])));
        attempt("truncate", () -> FileChannel.open(file, StandardOpenOption.WRITE).truncate(0));
        attempt("shared memory", () -> Files.createFile(Path.of("/dev/shm/cupping-attack")));
        attempt("temporary folder of all", () -> Files.createFile(Path.of("/tmp/cupping-attack")));
        attempt("own process", () -> Files.writeString(Path.of("/proc/self/comm"), "x"));
        attempt("memory of own process", () -> new RandomAccessFile("/proc/self/mem", "rw"));
        attempt("memory of the parent", () -> new FileInputStream(
            "/proc/" + ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(1L) + "/environ"));
        attempt("TCP", () -> new Socket("127.0.0.1", port));
        attempt("TCP channel", () -> SocketChannel.open(new InetSocketAddress("127.0.0.1", port)));
        attempt("server", () -> new ServerSocket(0));
        attempt("UDP", () -> new DatagramSocket().send(
            new DatagramPacket(new byte[1], 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port)));
        attempt("multicast", () -> new MulticastSocket(port).joinGroup(InetAddress.getByName("224.0.0.1")));
        attempt("Unix socket", () -> ServerSocketChannel.open(StandardProtocolFamily.UNIX)
            .bind(UnixDomainSocketAddress.of("socket")));
        attempt("look-up", () -> InetAddress.getByName("example.org"));
        attempt("exec", () -> Runtime.getRuntime().exec(new String[] {"/bin/touch", arguments[0] + "/touched"}));
        attempt("process", () -> new ProcessBuilder("/bin/true").start());
        attempt("java", () -> new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-version").start());
        attempt("signal", () -> must(ProcessHandle.of(ProcessHandle.current().parent().get().pid()).get().destroy()));
        attempt("large file", () -> {
            try (RandomAccessFile large = new RandomAccessFile("large", "rw")) {
                large.setLength(100L << 30);
            }
        });
        attempt("direct memory", () -> {
            List<ByteBuffer> held = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                held.add(ByteBuffer.allocateDirect(1 << 28));
            }
        });
        attempt("many files", () -> {
            Files.createDirectory(Path.of("many"));
            for (int i = 0; i < 1_000_000; i++) {
                Files.createFile(Path.of("many/" + i));
            }
        });
        attempt("many threads", () -> {
            Object never = new Object();
            for (int i = 0; i < 100_000; i++) {
                Thread thread = new Thread(null, () -> {
                    synchronized (never) {
                        try {
                            never.wait();
                        } catch (InterruptedException end) {
                            // It ends.
                        }
                    }
                }, "t", 1 << 16);
                thread.setDaemon(true);
                thread.start();
            }
        });
        System.out.println("end");
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}
