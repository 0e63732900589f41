#!/usr/bin/env bash
# Sweep files as tasks of a Slurm array, each on one node: sbatch --array=0-9 slurm-array.sh SWEEP.toml...
#
# Task i runs the i-th file, and writes results beside it. See slurm-mpi.sh for the early warning.
#SBATCH --job-name=kerncast-sweeps
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=32
#SBATCH --time=04:00:00
#SBATCH --signal=USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -uo pipefail

sweeps=("$@")
sweep=${sweeps[$SLURM_ARRAY_TASK_ID]:?no sweep file for this task}
results=${sweep%.toml}.sqlite
losses=$results.losses # how often a rank was lost
lost=$(cat "$losses" 2>/dev/null || echo 0)

srun --cpus-per-task="$SLURM_CPUS_PER_TASK" kerncast sweep "$sweep" -o "$results" --threads "$SLURM_CPUS_PER_TASK"
status=$?
if ((status == 75)); then
  echo "not done yet: queued again"
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
elif ((status > 128 && lost < 5)); then # not for ever: memory may not suffice
  echo $((lost + 1)) >"$losses"
  echo "a rank was lost (exit code $status): what was reported is kept; queued again"
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
elif ((status == 0)); then
  rm -f "$losses"
fi
exit "$status"
