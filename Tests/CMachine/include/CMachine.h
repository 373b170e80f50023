#pragma once

// Writes the numbers of the cores that this process may use, as many as there is room for. Returns how many; 0 for an
// error.
int machine_cores(int *cores, int capacity);

// Keeps the calling thread on a core, at a real-time priority. Returns 0 or an errno.
int machine_take_core(int core, int priority);
