import java.util.*;

/** Collects names of players without repetition. With 1 in a list that is searched each time, with 0 in a set. */
public class ScoreNames {
    static String playerOf(int n) { return "player " + (n * 7919L % 14000); }
    static Collection<String> collectNames(int games, Collection<String> seen) {
        for (int n = 0; n < games; n++) {
            String name = playerOf(n);
            if (!seen.contains(name)) seen.add(name);
        }
        return seen;
    }
    static int rankNames(Collection<String> names) {
        List<String> sorted = new ArrayList<>(names);
        Collections.sort(sorted, Comparator.comparing(String::length).thenComparing(Comparator.reverseOrder()));
        return sorted.hashCode();
    }
    public static void main(String[] args) {
        boolean list = args[0].equals("1");
        int sum = 0;
        for (int run = 0; run < (list ? 1 : 60); run++) sum += rankNames(collectNames(30000, list ? new ArrayList<>() : new LinkedHashSet<>()));
        System.out.println(sum);
    }
}
