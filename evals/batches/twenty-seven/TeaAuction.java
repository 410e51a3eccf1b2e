import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A tea auction: tasters grade lots, brokers bid under one lock, a clerk parses prices, some of them badly written. */
public class TeaAuction {
    static final Object CATALOGUE = new Object();
    static final Map<String, Long> PRICES = new HashMap<>();

    static long gradeLeaf(int lot) {
        long grade = lot;
        for (int cup = 0; cup < 900_000; cup++) grade = (grade * 1103515245L + cup) & 0xffffff;
        return grade;
    }

    static void recordBid(String lot, long price) throws InterruptedException {
        synchronized (CATALOGUE) {
            PRICES.merge(lot, price, Long::sum);
            Thread.sleep(14);
        }
    }

    static long parsePrice(String written) {
        try {
            return Long.parseLong(written);
        } catch (NumberFormatException bad) {
            return 0;
        }
    }

    static byte[] printCatalogue(int pages) {
        List<byte[]> sheets = new ArrayList<>();
        for (int page = 0; page < pages; page++) sheets.add(new byte[64 * 1024]);
        return sheets.get(pages - 1);
    }

    static void brokerRound(int broker) {
        try {
            for (int lot = 0; lot < 60; lot++) {
                long grade = gradeLeaf(lot * 7 + broker);
                recordBid("lot " + lot, grade % 900);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    static void clerkRound() {
        for (int sheet = 0; sheet < 60; sheet++) {
            for (int line = 0; line < 10; line++) parsePrice(line == 3 ? "12.5 per lb" : "12" + line);
            printCatalogue(120);
        }
    }

    static void tasterRound() throws InterruptedException {
        for (int tray = 0; tray < 9; tray++) {
            for (int lot = 0; lot < 180; lot++) gradeLeaf(lot + tray);
            Thread.sleep(tray == 5 ? 400 : 50);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int broker = 1; broker <= 3; broker++) {
            int number = broker;
            threads.add(new Thread(() -> brokerRound(number), "broker-" + number));
        }
        threads.add(new Thread(TeaAuction::clerkRound, "clerk"));
        for (Thread thread : threads) thread.start();
        tasterRound();
        for (Thread thread : threads) thread.join();
    }
}
