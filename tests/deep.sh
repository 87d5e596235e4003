#!/bin/sh
# deep.sh DEEP N - graphs of depth N on a stack of 64 KiB: nothing recurses on depth. And 1,000
# scopes of N/10 nodes that each keep one, 100 chains of 1,000,000 nodes built and dropped, and
# the time a node takes as a context grows.
set -eu
deep=$1
n=${2:-1000000}
ulimit -s 64
"$deep" chain "$n"
"$deep" scopes 1000 $((n / 10))
"$deep" rounds 100 1000000
"$deep" sizes
