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

srun kerncast sweep "$sweep" -o "${sweep%.toml}.sqlite" --threads "$SLURM_CPUS_PER_TASK"
status=$?
if ((status == 75)); then
  echo "not done yet: queued again"
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
elif ((status > 128 && ${SLURM_RESTART_COUNT:-0} < 5)); then # not for ever: memory may not suffice
  echo "a rank was lost (exit code $status): what was reported is kept; queued again"
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$status"
