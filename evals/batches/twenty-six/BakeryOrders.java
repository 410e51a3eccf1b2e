import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A bakery on a busy morning: counters take orders, ovens bake, one stock book is shared by all of them. */
public class BakeryOrders {
    static final class StockBook {
        private final Map<String, Integer> grams = new HashMap<>();
        private final StringBuilder journal = new StringBuilder();

        synchronized void take(String flour, int amount) {
            grams.merge(flour, -amount, Integer::sum);
            writeJournal(flour, amount);
        }

        private void writeJournal(String flour, int amount) {
            for (int line = 0; line < 6000; line++) {
                journal.append(flour).append(';').append(amount).append(';').append(line % 10).append('\n');
            }
            if (journal.length() > 2_000_000) {
                journal.setLength(0);
            }
            pause(6);
        }

        synchronized int left(String flour) {
            return grams.getOrDefault(flour, 0);
        }
    }

    static final class OrderLine {
        final String bread;
        final int pieces;

        OrderLine(String bread, int pieces) {
            this.bread = bread;
            this.pieces = pieces;
        }

        static OrderLine parse(String text) {
            String[] parts = text.split(";");
            int pieces;
            try {
                pieces = Integer.parseInt(parts[1]);
            } catch (NumberFormatException notANumber) {
                pieces = fromWords(parts[1]);
            }
            return new OrderLine(parts[0], pieces);
        }

        static int fromWords(String words) {
            switch (words) {
                case "one": return 1;
                case "a pair": return 2;
                case "a dozen": return 12;
                default: throw new IllegalArgumentException("pieces: " + words);
            }
        }
    }

    static final class Recipe {
        static double[] scale(int pieces) {
            double[] dough = new double[60_000];
            for (int i = 0; i < dough.length; i++) {
                dough[i] = pieces * Math.sqrt(i + 1.0);
            }
            return dough;
        }
    }

    static final class Oven {
        final List<double[]> trays = new ArrayList<>();

        double bake(OrderLine line) {
            double[] dough = Recipe.scale(line.pieces);
            trays.add(dough);
            if (trays.size() > 40) {
                trays.clear();
            }
            double heat = 0;
            for (int minute = 0; minute < 30; minute++) {
                heat += warmUp(dough, minute);
            }
            return heat;
        }

        static double warmUp(double[] dough, int minute) {
            double sum = 0;
            for (int i = minute; i < dough.length; i += 2) {
                sum += Math.exp(-dough[i] / (1000.0 + minute));
            }
            return sum;
        }
    }

    static final StockBook BOOK = new StockBook();
    static final String[] FLOURS = {"rye", "wheat", "spelt"};
    static final String[] PIECES = {"4", "a dozen", "7", "one", "a pair", "10"};

    static void pause(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    static void serve(int counter) {
        int refused = 0;
        for (int customer = 0; customer < 260; customer++) {
            for (int n = 0; n < PIECES.length; n++) {
                OrderLine.parse("loaf;" + PIECES[n]);
            }
            if (customer % 13 == 0) {
                try {
                    OrderLine.parse("bun;a few");
                } catch (IllegalArgumentException unclear) {
                    refused++;
                }
            }
            BOOK.take(FLOURS[(customer + counter) % 3], 500);
            pause(2);
        }
        System.out.println("counter " + counter + " refused " + refused);
    }

    static void bakeAll() {
        Oven oven = new Oven();
        double heat = 0;
        for (int batch = 0; batch < 1600; batch++) {
            heat += oven.bake(new OrderLine("loaf", batch % 20 + 1));
            if (batch % 35 == 0) {
                heat += BOOK.left(FLOURS[batch % 3]);
            }
        }
        System.out.printf("heat %.0f%n", heat);
    }

    static void countStock() {
        for (int round = 0; round < 12; round++) {
            pause(400);
            int sum = 0;
            for (String flour : FLOURS) {
                sum += BOOK.left(flour);
            }
            System.out.println("stock " + sum);
        }
    }

    public static void main(String[] args) throws Exception {
        List<Thread> staff = new ArrayList<>();
        for (int n = 1; n <= 3; n++) {
            int counter = n;
            staff.add(new Thread(() -> serve(counter), "counter-" + n));
        }
        staff.add(new Thread(BakeryOrders::bakeAll, "oven"));
        staff.add(new Thread(BakeryOrders::countStock, "stock-count"));
        for (Thread one : staff) {
            one.start();
        }
        for (Thread one : staff) {
            one.join();
        }
    }
}
