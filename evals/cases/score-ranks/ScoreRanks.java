// Ranks players: `java ScoreRanks SECONDS`. Planted: rankOf counts all better scores for each player.
public class ScoreRanks {
    static int[] scores(int count) {
        int[] made = new int[count];
        for (int n = 0; n < count; n++) made[n] = (int) ((n * 7919L + 13) % 100003);
        return made;
    }

    static int rankOf(int[] scores, int mine) {
        int better = 0;
        for (int score : scores) if (score > mine) better++;
        return better + 1;
    }

    static long rankAll(int[] scores) {
        long sum = 0;
        for (int score : scores) sum += rankOf(scores, score);
        return sum;
    }

    static String label(long sum) {
        return "ranks " + sum;
    }

    public static void main(String[] arguments) {
        long until = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
        int letters = 0;
        while (System.nanoTime() < until) letters += label(rankAll(scores(4000))).length();
        System.out.println(letters);
    }
}
