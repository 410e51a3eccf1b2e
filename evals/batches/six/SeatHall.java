import java.util.*; import java.util.concurrent.*;
public class SeatHall {
  static final Object hall = new Object(); static final Map<String,Integer> seats = new HashMap<>();
  static int score(String s){ int h=0; for(int k=0;k<300;k++) for(int i=0;i<s.length();i++) h=h*31+s.charAt(i); return h; }
  static String ticketText(int n){ StringBuilder b=new StringBuilder(); for(int i=0;i<60;i++) b.append(String.format("%04d-", n*i%9999)); return b.toString(); }
  static int parseOrMinusOne(String s){ try { return Integer.parseInt(s); } catch (NumberFormatException e) { return -1; } }
  static void book(int n){ String t=ticketText(n); int s=score(t); parseOrMinusOne("x"+n); synchronized(hall){ seats.merge("row"+(n%50),1,Integer::sum); try{Thread.sleep(6);}catch(InterruptedException e){} } }
  static void refund(int n){ String t=ticketText(n); score(t+t); }
  public static void main(String[] a) throws Exception { ExecutorService p=Executors.newFixedThreadPool(6, new ThreadFactory(){int i=0; public Thread newThread(Runnable r){return new Thread(r,"desk-"+i++);}});
    List<Future<?>> fs=new ArrayList<>(); for(int i=0;i<700;i++){ final int n=i; fs.add(p.submit(()->{ if(n%3==0) refund(n); else book(n); })); } for(var f:fs) f.get(); p.shutdown(); }
}
