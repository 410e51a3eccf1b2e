// Looks for primes: `java NumberSieve SECONDS`. Planted: isPrime tries every divisor.
public class NumberSieve {
    static boolean isPrime(int number) {
        for (int divisor = 2; divisor < number; divisor++) if (number % divisor == 0) return false;
        return number > 1;
    }

    static int count(int from, int to) {
        int primes = 0;
        for (int number = from; number < to; number++) if (isPrime(number)) primes++;
        return primes;
    }

    static String format(int primes) {
        return String.format("%,d primes", primes);
    }

    public static void main(String[] arguments) {
        long until = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
        int letters = 0;
        while (System.nanoTime() < until) letters += format(count(90_000, 92_000)).length();
        System.out.println(letters);
    }
}
