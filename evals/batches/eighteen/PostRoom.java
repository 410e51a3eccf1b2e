import java.io.FileOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sorts post in a room with six clerks: one ledger behind one monitor, a franking machine that each waits for. */
public class PostRoom {
    private final Map<String, Integer> ledger = new HashMap<>();
    private final Path journal;

    PostRoom(Path journal) {
        this.journal = journal;
    }

    synchronized void enter(String street, byte[] line) throws Exception {
        ledger.merge(street, 1, Integer::sum);
        try (FileOutputStream out = new FileOutputStream(journal.toFile(), true)) {
            for (int n = 0; n < 3; n++) {
                out.write(line);
                out.getFD().sync();
            }
        }
        Thread.sleep(25);
    }

    static void frank() throws InterruptedException {
        Thread.sleep(30);
    }

    static long weigh(String letter) {
        long weight = 7;
        for (int round = 0; round < 2_500; round++) {
            for (int n = 0; n < letter.length(); n++) weight = weight * 31 + letter.charAt(n);
        }
        return weight;
    }

    static String address(int number) {
        StringBuilder text = new StringBuilder();
        for (int n = 0; n < 600; n++) text.append("street ").append((number * 31 + n) % 97).append(';');
        return text.toString();
    }

    void clerk(int first) {
        long sum = 0;
        try {
            for (int number = first; number < first + 60; number++) {
                String letter = address(number);
                sum += weigh(letter);
                frank();
                enter(letter.substring(0, 9), letter.getBytes());
            }
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
        System.out.println(sum);
    }

    public static void main(String[] arguments) throws Exception {
        Path journal = Files.createTempFile("journal", ".txt");
        PostRoom room = new PostRoom(journal);
        List<Thread> clerks = new ArrayList<>();
        for (int n = 0; n < 6; n++) {
            int first = n * 1000;
            Thread clerk = new Thread(() -> room.clerk(first), "clerk-" + (n + 1));
            clerks.add(clerk);
            clerk.start();
        }
        for (Thread clerk : clerks) clerk.join();
        Files.delete(journal);
    }
}
