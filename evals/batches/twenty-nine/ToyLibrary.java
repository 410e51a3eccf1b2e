import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Lends toys at four counters from one card index behind one lock. */
public class ToyLibrary {
    private final List<String> cards = new ArrayList<>();
    private long fees;

    ToyLibrary() {
        for (int toy = 0; toy < 3000; toy++) cards.add("toy-" + toy % 997 + "-" + toy);
    }

    synchronized int findCard(String number) {
        int found = -1;
        for (int i = 0; i < cards.size(); i++) if (normalise(cards.get(i)).equals(number)) found = i;
        return found;
    }

    static String normalise(String card) {
        return card.trim().toUpperCase().replace('-', '_');
    }

    static long checkParts(int toy) {
        long sum = toy;
        for (int part = 0; part < 900_000; part++) sum = sum * 31 + (part ^ (sum >>> 7));
        return sum;
    }

    static String printSlip(int toy, long sum) {
        StringBuilder text = new StringBuilder();
        for (int line = 0; line < 400; line++) text.append("toy ").append(toy).append(" part ").append(sum % (line + 1)).append('\n');
        return text.toString();
    }

    synchronized void bookFee(long fee) {
        fees += fee;
    }

    void serve(int counter) {
        long length = 0;
        for (int child = 0; child < 550; child++) {
            int toy = (child * 7 + counter * 131) % 3000;
            int card = findCard(("TOY_" + toy % 997 + "_" + toy));
            long sum = checkParts(card);
            length += printSlip(toy, sum).length();
            bookFee(length % 5);
        }
    }

    public static void main(String[] arguments) throws Exception {
        ToyLibrary library = new ToyLibrary();
        CountDownLatch closed = new CountDownLatch(4);
        for (int counter = 0; counter < 4; counter++) {
            int number = counter;
            new Thread(() -> { library.serve(number); closed.countDown(); }, "counter-" + (counter + 1)).start();
        }
        closed.await();
        System.out.println(library.fees);
    }
}
