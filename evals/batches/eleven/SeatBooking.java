import java.util.*;
import java.util.concurrent.*;

public class SeatBooking {
    static final Object hall = new Object();
    static final Map<Integer, String> taken = new HashMap<>();
    static int refused;
    static long digest(String s) { long h = 7; for (int r = 0; r < 400; r++) for (int i = 0; i < s.length(); i++) h = h * 31 + s.charAt(i); return h; }
    static String ticket(int guest, int seat) { return Long.toHexString(digest("guest" + guest + "seat" + seat)); }
    static void book(int guest, int seat) {
        synchronized (hall) {
            if (taken.containsKey(seat)) { refused++; return; }
            taken.put(seat, ticket(guest, seat));
        }
    }
    static String seatMap() { StringBuilder b = new StringBuilder(); for (int i = 0; i < 3000; i++) b.append(taken.containsKey(i) ? 'x' : '.'); return b.toString(); }
    public static void main(String[] a) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        for (int run = 0; run < 25; run++) {
            taken.clear();
            List<Future<?>> all = new ArrayList<>();
            for (int g = 0; g < 3; g++) { final int guest = g; all.add(pool.submit(() -> { for (int i = 0; i < 6000; i++) book(guest, (i * 7 + guest) % 9000); })); }
            for (Future<?> f : all) f.get();
            seatMap();
        }
        pool.shutdown(); System.out.println(refused);
    }
}
