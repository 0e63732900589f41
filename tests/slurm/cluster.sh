# shellcheck shell=bash
# Sourced: a Slurm cluster of this one machine in a folder of its own, with its own munge. Needs root, as slurmd does.
#
# Two partitions: jobs of `urgent` send those of `patient` back into the queue.

start_cluster() { # FOLDER
  local at=$1 host
  host=$(hostname -s)
  export SLURM_CONF=$at/slurm.conf
  mkdir -p "$at/munge" "$at/state" "$at/spool"
  chmod 755 "$at"
  chmod 700 "$at/munge"
  (umask 077 && head -c 1024 /dev/urandom >"$at/munge/key")
  cat >"$SLURM_CONF" <<EOF
ClusterName=kerncast
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$at/munge/socket
CredType=cred/munge
StateSaveLocation=$at/state
SlurmdSpoolDir=$at/spool
SlurmctldPidFile=$at/slurmctld.pid
SlurmdPidFile=$at/slurmd.pid
SlurmctldLogFile=$at/slurmctld.log
SlurmdLogFile=$at/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,requeue_delay=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
KillWait=30
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=512 State=UNKNOWN
PartitionName=patient Nodes=$host Default=YES PriorityTier=1 State=UP GraceTime=30
PartitionName=urgent Nodes=$host PriorityTier=10 State=UP
EOF
  munged --force --key-file="$at/munge/key" --socket="$at/munge/socket" --pid-file="$at/munge/pid" \
    --log-file="$at/munge/log" --seed-file="$at/munge/seed" || return 1
  slurmctld -f "$SLURM_CONF" && slurmd -f "$SLURM_CONF" -N "$host" || return 1
  local tries
  for ((tries = 0; tries < 60; ++tries)); do
    [[ $(sinfo -h -p patient -o %t 2>/dev/null) == idle ]] && return 0
    sleep 1
  done
  echo "error: the Slurm cluster did not start" >&2
  tail -n 20 "$at"/slurmctld.log "$at"/slurmd.log >&2
  return 1
}

stop_cluster() { # FOLDER
  local at=$1 pid_file
  for pid_file in "$at"/slurmd.pid "$at"/slurmctld.pid "$at"/munge/pid; do
    [[ -s $pid_file ]] && kill "$(<"$pid_file")" 2>/dev/null
  done
}
