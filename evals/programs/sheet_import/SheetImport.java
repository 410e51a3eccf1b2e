import java.util.*;

/** Reads cells of a spreadsheet. With 1 a cell is tried as a number by catching what parseLong throws; with 0 it is looked at first. */
public class SheetImport {
    static final boolean[] trying = {false};
    static boolean looksNumeric(String cell) {
        for (int n = 0; n < cell.length(); n++) if (!Character.isDigit(cell.charAt(n))) return false;
        return !cell.isEmpty();
    }
    static Object readCell(String cell) {
        if (trying[0]) {
            try { return Long.parseLong(cell); } catch (NumberFormatException notANumber) { return cell; }
        }
        return looksNumeric(cell) ? (Object) Long.parseLong(cell) : cell;
    }
    static Object readDeep(String cell, int depth) { return depth == 0 ? readCell(cell) : readDeep(cell, depth - 1); }
    static String[] splitRow(int row) {
        String[] cells = new String[12];
        for (int n = 0; n < cells.length; n++) cells[n] = n % 3 == 0 ? Integer.toString(row * n) : "cell " + row + "/" + n;
        return cells;
    }
    static long importRows(int rows) {
        long sum = 0;
        for (int row = 0; row < rows; row++)
            for (String cell : splitRow(row)) sum += readDeep(cell, 30).hashCode();
        return sum;
    }
    public static void main(String[] args) {
        trying[0] = args[0].equals("1");
        System.out.println(importRows(trying[0] ? 300000 : 2000000));
    }
}
