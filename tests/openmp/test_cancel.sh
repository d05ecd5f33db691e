#!/usr/bin/env bash
# Cancellation of a region, a loop and a taskgroup: the threads meet again, and what follows is not cancelled.
set -u
dir=$(mktemp -d "$TMP_DIR/openmp-XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() { echo "$1" >&2; cat out >&2; exit 1; }
cat >cancel.c <<'E'
#include <omp.h>
#include <stdio.h>
int main(void){ int done=0, after=0;
#pragma omp parallel num_threads(3)
 { 
   if (omp_get_thread_num()==1) {
#pragma omp atomic write
     done=1;
#pragma omp cancel parallel
   }
#pragma omp cancellation point parallel
#pragma omp barrier
#pragma omp atomic
   after++;
 }
 int n=0;
#pragma omp parallel num_threads(3)
 {
#pragma omp for schedule(dynamic)
  for(int i=0;i<100;i++){
#pragma omp atomic
   n++;
   if(i==3){
#pragma omp cancel for
   }
#pragma omp cancellation point for
  }
#pragma omp for schedule(dynamic)
  for(int i=0;i<10;i++){
#pragma omp atomic
   n+=1000;
  }
 }
 int t=0;
#pragma omp parallel num_threads(3)
#pragma omp single
 {
#pragma omp taskgroup
  { for(int i=0;i<5;i++){
#pragma omp task shared(t)
   {
#pragma omp atomic
    t++;
#pragma omp cancel taskgroup
   } } } }
 printf("done %d after %d n %d t>=1 %d\n",done,after>=0,n>=10000&&n<10100,t>=1);
 return 0;}
E
"$HEDDLE" cc -fopenmp -g -O1 cancel.c -o cancel >out 2>&1 || fail "does not compile"
export OMP_CANCELLATION=true
for seed in 1 2 3; do
    timeout 60 "$HEDDLE" -q run --runs 1 --policy random --seed $seed -o o$seed -- ./cancel >out 2>&1
    [ $? = 0 ] || fail "seed $seed: not quiet"
    grep -q "done 1 after 1 n 1 t>=1 1" out || fail "seed $seed: wrong result"
done
export OMP_CANCELLATION=false
./cancel >out 2>&1 || fail "without cancellation"
grep -q "done 1 after 1 n 0 t>=1 1" out || fail "cancelled although cancellation is off"
