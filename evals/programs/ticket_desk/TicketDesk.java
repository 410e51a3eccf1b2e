import java.util.*;
import java.util.concurrent.*;

/** Sells seats from eight threads. With 1 the receipt is composed while the seat map's monitor is owned; with 0 after it. */
public class TicketDesk {
    static final class SeatMap {
        private final Map<Integer, String> taken = new HashMap<>();
        private final boolean inside;
        SeatMap(boolean inside) { this.inside = inside; }
        String sell(int seat, String buyer) {
            synchronized (taken) {
                taken.put(seat, buyer);
                if (inside) return composeReceipt(seat, buyer);
            }
            return composeReceipt(seat, buyer);
        }
    }
    static String composeReceipt(int seat, String buyer) {
        StringBuilder text = new StringBuilder();
        for (int n = 0; n < 400; n++) text.append(buyer).append(':').append(seat * n % 977).append(';');
        return Integer.toHexString(text.toString().hashCode());
    }
    static int sellAll(SeatMap map, int desk, int seats) {
        int sum = 0;
        for (int n = 0; n < seats; n++) sum += map.sell(desk * seats + n, "buyer" + n).length();
        return sum;
    }
    public static void main(String[] args) throws Exception {
        SeatMap map = new SeatMap(args[0].equals("1"));
        List<Thread> desks = new ArrayList<>();
        for (int d = 0; d < 6; d++) {
            int desk = d;
            Thread one = new Thread(() -> System.out.println(sellAll(map, desk, 9000)), "desk-" + desk);
            one.start();
            desks.add(one);
        }
        for (Thread one : desks) one.join();
    }
}
