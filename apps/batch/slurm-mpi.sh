#!/usr/bin/env bash
# A sweep as one MPI job of Slurm that goes on until it is done: sbatch slurm-mpi.sh SWEEP.toml RESULTS.sqlite
#
# Slurm sends SIGUSR1 two minutes before the time is over, also when the job is pre-empted with a grace time;
# kerncast then ends with 75 and everything finished kept, and the job puts itself into the queue again.
#SBATCH --job-name=kerncast-sweep
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=32
#SBATCH --time=04:00:00
#SBATCH --signal=USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -uo pipefail

sweep=${1:?SWEEP.toml} results=${2:?RESULTS.sqlite}
losses=$results.losses # how often a rank was lost
lost=$(cat "$losses" 2>/dev/null || echo 0)

srun --mpi=pmix --cpus-per-task="$SLURM_CPUS_PER_TASK" kerncast sweep "$sweep" -o "$results" \
  --csv "${results%.sqlite}.csv" --threads "$SLURM_CPUS_PER_TASK"
status=$?
if ((status == 75)); then
  echo "not done yet: queued again"
  scontrol requeue "$SLURM_JOB_ID"
elif ((status > 128 && lost < 5)); then # not for ever: memory may not suffice
  echo $((lost + 1)) >"$losses"
  echo "a rank was lost (exit code $status): what was reported is kept; queued again"
  scontrol requeue "$SLURM_JOB_ID"
elif ((status == 0)); then
  rm -f "$losses"
fi
exit "$status"
