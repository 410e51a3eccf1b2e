// Cleans product names: `java ProductNames SECONDS`. Planted: clean() compiles three patterns for every name (String.replaceAll).
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

public class ProductNames {
    static String clean(String name) {
        return name.replaceAll("\\s+", " ").replaceAll("[^\\p{L}\\p{N} ]", "").replaceAll("(?i)\\b(new|sale|hot)\\b", "").trim();
    }

    static String slug(String name) {
        return name.toLowerCase(Locale.ROOT).replace(' ', '-');
    }

    static List<String> names(int count) {
        List<String> made = new ArrayList<>();
        for (int n = 0; n < count; n++) made.add("  NEW  Product   \u2122 number " + n + "  (hot!) ");
        return made;
    }

    static long index(List<String> names) {
        long letters = 0;
        for (String name : names) letters += slug(clean(name)).length();
        return letters;
    }

    public static void main(String[] arguments) {
        long until = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L, letters = 0;
        List<String> names = names(500);
        while (System.nanoTime() < until) letters += index(names);
        System.out.println(letters);
    }
}
