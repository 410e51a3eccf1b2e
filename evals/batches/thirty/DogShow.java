import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** A dog show: judges in rings mark dogs, enter the marks in one shared ledger, and a steward calls the next class. */
public final class DogShow {
    static final Object LEDGER = new Object();
    static final TreeMap<String, Integer> MARKS = new TreeMap<>();

    static int judgeGait(int dog, int ring) {
        double pace = dog;
        for (int step = 0; step < 3_000_000; step++) pace = (pace * 1.0003 + Math.sin(step * 0.01 + ring)) % 977;
        return (int) pace;
    }

    static int judgeCoat(String coat) {
        int sum = 0;
        for (int at = 0; at < 2_000_000; at++) sum = sum * 31 + coat.charAt(at % coat.length());
        return Math.abs(sum % 100);
    }

    static List<String> writeCritique(int dog) {
        List<String> lines = new ArrayList<>();
        for (int at = 0; at < 3_000; at++) lines.add("dog " + dog + " remark " + at);
        return lines;
    }

    static void enterMarks(int dog, int marks) throws InterruptedException {
        synchronized (LEDGER) {
            Thread.sleep(18);
            MARKS.merge("dog " + dog % 40, marks, Integer::sum);
        }
    }

    static int parseNumber(String card) {
        try {
            return Integer.parseInt(card);
        } catch (NumberFormatException wrong) {
            return 0;
        }
    }

    static void judgeRing(int ring) {
        try {
            for (int dog = 0; dog < 30; dog++) {
                int number = parseNumber(dog % 5 == 0 ? "no " + dog : "" + dog);
                int marks = judgeGait(number, ring) + judgeCoat("wire haired " + dog) + writeCritique(dog).size() % 7;
                enterMarks(dog, marks);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    static void callClasses() {
        try {
            for (int call = 0; call < 6; call++) Thread.sleep(150);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        List<Thread> rings = new ArrayList<>();
        for (int ring = 1; ring <= 3; ring++) {
            int number = ring;
            rings.add(new Thread(() -> judgeRing(number), "ring-" + ring));
        }
        rings.add(new Thread(DogShow::callClasses, "steward"));
        for (Thread one : rings) one.start();
        for (Thread one : rings) one.join();
        System.out.println(MARKS.size());
    }
}
