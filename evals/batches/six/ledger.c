#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ROWS 4000
static double book[ROWS]; static pthread_mutex_t book_lock = PTHREAD_MUTEX_INITIALIZER;
unsigned mix(unsigned x){ for(int i=0;i<12;i++){ x^=x<<13; x^=x>>17; x^=x<<5; } return x; }
double round_cents(double v){ return (double)(long)(v*100+0.5)/100; }
int find_row(unsigned key){ for(int i=0;i<ROWS;i++) if((unsigned)i==key%ROWS) return i; return -1; }
void post_entry(unsigned key,double v){ pthread_mutex_lock(&book_lock); int r=find_row(key); book[r]=round_cents(book[r]+v); pthread_mutex_unlock(&book_lock); }
void*clerk(void*arg){ unsigned s=(unsigned)(long)arg+1; for(int i=0;i<150000;i++){ s=mix(s); post_entry(s,(s%1000)/7.0);} return 0; }
void*auditor(void*arg){ double sum=0; for(int k=0;k<30000;k++){ for(int i=0;i<ROWS;i++) sum+=round_cents(book[i]); } printf("%f\n",sum); return 0; }
int main(){ pthread_t t[5]; for(long i=0;i<4;i++){ pthread_create(&t[i],0,clerk,(void*)i);} pthread_create(&t[4],0,auditor,0);
 char n[16]; for(int i=0;i<4;i++){ snprintf(n,16,"clerk-%d",i); pthread_setname_np(t[i],n);} pthread_setname_np(t[4],"auditor"); for(int i=0;i<5;i++) pthread_join(t[i],0); return 0; }
