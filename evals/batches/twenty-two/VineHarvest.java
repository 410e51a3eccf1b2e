import java.io.FileOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A grape harvest: four pickers write a line of the log for each crate, and each line is forced to the disk. */
public class VineHarvest {
  private final FileOutputStream log;

  VineHarvest(String path) throws Exception {
    log = new FileOutputStream(path);
  }

  void logLine(String text) throws Exception {
    byte[] line = (System.nanoTime() + " " + text + "\n").getBytes(StandardCharsets.UTF_8);
    synchronized (log) {
      log.write(line);
      log.getFD().sync();
    }
  }

  static double sugar(int crate) {
    double oechsle = 70;
    for (int n = 1; n < 150_000; n++) oechsle += Math.sin(crate * 0.37 + n) / n;
    return oechsle;
  }

  static List<Integer> sortBerries(int crate) {
    List<Integer> berries = new ArrayList<>();
    for (int n = 0; n < 3_000; n++) berries.add((crate * 7919 + n * 104_729) % 5_003);
    berries.sort(null);
    return berries;
  }

  void pick(String row, int crates) {
    try {
      for (int crate = 0; crate < crates; crate++) {
        double oechsle = sugar(crate);
        int best = sortBerries(crate).get(0);
        logLine(row + " crate " + crate + " sugar " + oechsle + " best " + best);
      }
    } catch (Exception broken) {
      throw new IllegalStateException(broken);
    }
  }

  public static void main(String[] args) throws Exception {
    VineHarvest harvest = new VineHarvest("harvest.log");
    List<Thread> pickers = new ArrayList<>();
    for (int n = 1; n <= 4; n++) {
      String row = "row " + n;
      int crates = n == 4 ? 60 : 160;
      Thread picker = new Thread(() -> harvest.pick(row, crates), "picker-" + n);
      pickers.add(picker);
      picker.start();
    }
    for (Thread picker : pickers) picker.join();
    Thread.sleep(200);
  }
}
