# libuv's own tests of threads and what is built on them; each runs in the process that is started.
packages=(libuv1)
cases=(thread_create thread_equal thread_local_storage thread_stack_size thread_mutex thread_mutex_recursive thread_rwlock
    thread_rwlock_trylock barrier_1 barrier_2 barrier_3 barrier_serial_thread barrier_serial_thread_single
    condvar_1 condvar_2 condvar_3 condvar_4 condvar_5 semaphore_1 semaphore_2 semaphore_3
    async async_null_cb async_ref threadpool_queue_work_simple threadpool_multiple_event_loops threadpool_cancel_work
    threadpool_cancel_fs threadpool_cancel_single)

build() {
    cmake -S libuv1 -B out -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="${CC%% *}" -DCMAKE_C_FLAGS="$CFLAGS $(cut -sd' ' -f2- <<<"$CC")"
    cmake --build out -j 2 --target uv_run_tests_a
}

input() { :; }

run_case() {
    local status=0
    export UV_RUN_AS_ROOT=1
    program "$2/out/uv_run_tests_a" "$1" "$1" >out || status=$?
    echo "status $status" >>out
    [ $status -eq 0 ]
}
