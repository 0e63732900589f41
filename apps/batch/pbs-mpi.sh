#!/usr/bin/env bash
# A sweep as one MPI job of PBS that goes on until it is done: qsub -v SWEEP=s.toml,RESULTS=r.sqlite pbs-mpi.sh
#
# It hands itself in again as pbs-mpi.sh in the folder of the qsub; if it lies elsewhere, add SCRIPT=PATH to -v.
# PBS sends no early warning by itself: --time-limit ends kerncast with 75 before the time is over, with
# everything finished kept, and the job hands in its successor.
#PBS -N kerncast-sweep
#PBS -l select=4:ncpus=32:mpiprocs=1
#PBS -l walltime=04:00:00
#PBS -r y
set -uo pipefail
cd "$PBS_O_WORKDIR" || exit 1

: "${SWEEP:?}" "${RESULTS:?}" "${SCRIPT:=$PBS_O_WORKDIR/pbs-mpi.sh}"

mpirun kerncast sweep "$SWEEP" -o "$RESULTS" --csv "${RESULTS%.sqlite}.csv" --threads 32 --time-limit 3:50:00
status=$?
if ((status == 75)); then
  if qsub -v "SWEEP=$SWEEP,RESULTS=$RESULTS,SCRIPT=$SCRIPT" "$SCRIPT"; then
    echo "not done yet: handed in again"
  else
    echo "not done yet, and $SCRIPT could not be handed in again: hand it in to go on" >&2
  fi
elif ((status > 128)); then
  echo "a rank was lost (exit code $status): what was reported is kept; hand the job in again to go on"
fi
exit "$status"
