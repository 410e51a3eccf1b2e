import java.util.*;

/** The stock of a pharmacy: fields that may be numbers are tried with parseInt, and what is none is thrown and caught. */
public class PharmacyStock {
    static final int ROUNDS = 50;

    record Line(String drug, String count, String batch) {}

    static List<Line> lines() {
        var chance = new Random(5);
        var found = new ArrayList<Line>();
        for (int n = 0; n < 1500; n++) {
            String count = chance.nextInt(10) < 6 ? "n/a" : String.valueOf(chance.nextInt(500));
            found.add(new Line("drug-" + n % 700, count, "B" + chance.nextInt(90000)));
        }
        return found;
    }

    static int countOf(String field) {
        try {
            return Integer.parseInt(field);
        } catch (NumberFormatException none) {
            return 0;
        }
    }

    static Map<String, Integer> tally(List<Line> lines) {
        var sums = new HashMap<String, Integer>();
        for (Line line : lines) sums.merge(line.drug(), deep(line.count(), 150), Integer::sum);
        return sums;
    }

    /** As deep as a framework's calls are. */
    static int deep(String field, int depth) {
        return depth == 0 ? countOf(field) : deep(field, depth - 1);
    }

    static String label(Line line) {
        var text = new StringBuilder();
        for (int n = 0; n < 20; n++) text.append(line.drug()).append('|').append(line.batch()).append('\n');
        return text.toString();
    }

    static int printLabels(List<Line> lines) {
        int length = 0;
        for (Line line : lines) length += label(line).length();
        return length;
    }

    static List<String> expiring(List<Line> lines) {
        var found = new ArrayList<String>();
        for (Line line : lines) if (line.batch().hashCode() % 7 == 0) found.add(line.batch());
        Collections.sort(found);
        return found;
    }

    public static void main(String[] args) throws Exception {
        List<Line> lines = lines();
        var worker = new Thread(() -> {
            for (int n = 0; n < 700; n++) printLabels(lines);
        }, "label-printer");
        worker.start();
        int sum = 0;
        for (int n = 0; n < ROUNDS; n++) {
            sum += tally(lines).size() + expiring(lines).size();
            if (n == 9) Thread.sleep(350);
        }
        worker.join();
        System.out.println(sum);
    }
}
