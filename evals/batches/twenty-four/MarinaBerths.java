import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Finds berths for the boats of a season: reads the draught that skippers typed and looks at the tides of the day. */
public class MarinaBerths {
    static final Map<Integer, List<String>> berths = new HashMap<>();
    static final Object desk = new Object();
    static volatile double kept;

    static int draughtOf(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException notPlain) {
            return digits(text);
        }
    }

    static int digits(String text) {
        int value = 0;
        for (char c : text.toCharArray()) if (c >= '0' && c <= '9') value = value * 10 + (c - '0');
        return value;
    }

    static double[] tideTable(int day) {
        double[] levels = new double[1440];
        for (int minute = 0; minute < levels.length; minute++) levels[minute] = waterLevel(day, minute);
        return levels;
    }

    static double waterLevel(int day, int minute) {
        double at = day * 1440 + minute, level = 0;
        for (int wave = 1; wave < 9; wave++) level += swing(at * wave / 745.2) / wave;
        return 300 + 160 * level;
    }

    static double swing(double at) {
        double turn = at / 6.283185307 - (long) (at / 6.283185307) - 0.5;
        return 16 * turn * (0.5 - Math.abs(turn));
    }

    static int freeMinutes(int day, int draught) {
        int free = 0;
        for (double level : tideTable(day)) if (level > draught) free++;
        return free;
    }

    static String label(int draught, int number) {
        byte[] sign = new byte[20_000];
        Arrays.fill(sign, (byte) ('A' + (draught + number) % 26));
        return new String(sign, 0, 24, java.nio.charset.StandardCharsets.US_ASCII);
    }

    static void moor(String berth, int minutes) {
        synchronized (desk) {
            berths.computeIfAbsent(minutes / 60, any -> new ArrayList<>()).add(berth);
        }
    }

    static void closeBooks() throws InterruptedException {
        synchronized (desk) {
            Thread.sleep(400);
        }
    }

    static void season(int seed, int boats) {
        Random random = new Random(seed);
        for (int number = 0; number < boats; number++) {
            int draught = 100 + random.nextInt(260);
            String typed = random.nextInt(6) > 0 ? Integer.toString(draught) : draught + " cm";
            int minutes = freeMinutes(number % 30, draughtOf(typed));
            moor(label(draught, number), minutes);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread north = new Thread(() -> season(1, 24_000), "north-quay");
        Thread south = new Thread(() -> season(2, 11_000), "south-quay");
        north.start();
        south.start();
        Thread.sleep(900);
        closeBooks();
        north.join();
        south.join();
        System.out.println(berths.size());
    }
}
