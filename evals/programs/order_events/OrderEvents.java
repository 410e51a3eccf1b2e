import java.util.*;

/** Sums events of orders. With 1 every event becomes boxed numbers in a map of its own, with 0 plain arrays are reused. */
public class OrderEvents {
    static long sink;
    static Map<String, Long> boxedEvent(int n) {
        Map<String, Long> event = new HashMap<>();
        for (String field : new String[] {"price", "count", "tax", "time", "shop"}) event.put(field + n % 100, (long) n * field.length());
        return event;
    }
    static void plainEvent(long[] event, int n) { for (int k = 0; k < event.length; k++) event[k] = (long) n * (k + 3); }
    static long sumEvent(Collection<Long> values) { long sum = 0; for (long value : values) sum += value; return sum; }
    static double forecast(int n) { double x = n; for (int k = 0; k < 60; k++) x = Math.sqrt(x * x + k); return x; }
    static double process(int events, boolean boxed) {
        long[] plain = new long[5];
        double total = 0;
        List<Map<String, Long>> recent = new ArrayList<>();
        for (int n = 0; n < events; n++) {
            if (boxed) {
                Map<String, Long> event = boxedEvent(n);
                recent.add(event);
                if (recent.size() > 60000) recent.clear();
                sink += sumEvent(event.values());
            } else {
                plainEvent(plain, n);
                for (long value : plain) sink += value;
            }
            total += forecast(n);
        }
        return total;
    }
    public static void main(String[] args) { System.out.println(process(3000000, args[0].equals("1")) + sink); }
}
