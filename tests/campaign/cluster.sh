# A Slurm of four nodes on this machine, for tests: cluster_start DIR, cluster_stop. No node sees what is in DIR/hidden.
# Ends only what it started, by
# process id. Needs root (munged runs as its own user), slurm-wlm and munge.
# shellcheck shell=bash
cluster_pids=()

cluster_missing() { # prints what is missing
    local tool
    [ "$(id -u)" = 0 ] || { echo "root"; return; }
    for tool in munged slurmctld slurmd sbatch runuser; do
        command -v $tool >/dev/null || { echo "$tool (Debian: slurm-wlm, munge)"; return; }
    done
}

cluster_munge() { # a munged of ours, unless one answers
    munge -n </dev/null >/dev/null 2>&1 && return
    install -d -o munge -g munge /run/munge /var/log/munge
    [ -s /etc/munge/munge.key ] || { mungekey -c 2>/dev/null; chown munge /etc/munge/munge.key; }
    runuser -u munge -- munged --force --foreground >"$1/munged.log" 2>&1 &
    cluster_pids+=($!)
    local i
    for ((i = 0; i < 100; i++)); do munge -n </dev/null >/dev/null 2>&1 && return; sleep 0.05; done
    echo "munged does not answer" >&2
    return 1
}

cluster_node() { # cluster_node I: starts node nI
    unshare -m sh -c 'mount -t tmpfs none "$1" && exec slurmd -D -N "$2" -f "$3"' sh \
        "$cluster_dir/hidden" "n$1" "$cluster_dir/slurm.conf" >"$cluster_dir/n$1.out" 2>&1 &
    cluster_pids+=($!)
    cluster_node_pid[$1]=$!
}

cluster_start() { # cluster_start DIR
    cluster_dir=$1
    local host base i
    declare -g -A cluster_node_pid
    mkdir -p "$1"/{state,hidden}
    host=$(hostname -s)
    base=$((20000 + $$ % 20000))
    cat >"$1/slurm.conf" <<EOF
ClusterName=heddle
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$base
AuthType=auth/munge
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
SlurmdTimeout=6
SlurmctldTimeout=30
MinJobAge=300
KillWait=2
SchedulerParameters=sched_interval=2,requeue_delay=1
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool-%n
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd-%n.pid
SlurmctldLogFile=$1/slurmctld.log
SlurmdLogFile=$1/slurmd-%n.log
NodeName=n[1-4] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((base + 1))-$((base + 4))] CPUs=2 RealMemory=1000
PartitionName=all Nodes=n[1-4] Default=YES MaxTime=INFINITE State=UP
EOF
    export SLURM_CONF=$1/slurm.conf
    cluster_munge "$1" || return 1
    slurmctld -D -c -f "$1/slurm.conf" >"$1/slurmctld.out" 2>&1 &
    cluster_pids+=($!)
    for i in 1 2 3 4; do cluster_node $i; done
    for ((i = 0; i < 300; i++)); do
        [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 4 ] && return 0
        sleep 0.1
    done
    sinfo >&2
    tail -5 "$1"/slurmctld.log "$1"/n1.out >&2
    return 1
}

cluster_stop() {
    [ ${#cluster_pids[@]} = 0 ] || kill "${cluster_pids[@]}" 2>/dev/null
    wait "${cluster_pids[@]}" 2>/dev/null
    cluster_pids=()
}
