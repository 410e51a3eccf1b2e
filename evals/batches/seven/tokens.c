#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
typedef struct { char*names[512]; int n; } Table;
int is_word(int c){ return isalnum(c)||c=='_'; }
int lookup(Table*t,const char*w,int len){ for(int i=0;i<t->n;i++) if((int)strlen(t->names[i])==len&&!memcmp(t->names[i],w,len)) return i; return -1; }
int intern(Table*t,const char*w,int len){ int i=lookup(t,w,len); if(i>=0) return i; char*s=malloc(len+1); memcpy(s,w,len); s[len]=0; t->names[t->n]=s; return t->n++; }
int next_token(const char*s,int at,int*len){ while(s[at]&&!is_word(s[at])) at++; *len=0; while(is_word(s[at+*len])) (*len)++; return at; }
unsigned checksum(const char*s){ unsigned h=5381; while(*s) h=h*33+*s++; return h; }
int scan_file(Table*t,const char*s){ int at=0,len,n=0; for(;;){ at=next_token(s,at,&len); if(!len) break; intern(t,s+at,len); at+=len; n++; } return n; }
int main(){ Table t={{0},0}; char*buf=malloc(9000); int total=0; unsigned h=0; for(int f=0;f<12;f++){ buf[0]=0; for(int i=0;i<300;i++){ char w[24]; sprintf(w,"name_%d ",(i*7+f)%211); strcat(buf,w);} total+=scan_file(&t,buf); h^=checksum(buf);} printf("%d %u\n",total,h); return 0; }
