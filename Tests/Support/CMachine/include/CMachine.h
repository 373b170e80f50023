#pragma once

// Writes the numbers of the cores that this process may use, as many as there is room for. Returns how many; 0 for an
// error.
int machine_cores(int *cores, int capacity);

// Keeps the calling thread on a core, at a real-time priority. Returns 0 or an errno.
int machine_take_core(int core, int priority);

// Has a process run only while no other process wants the core, with all that it starts from now on, or at least with the
// least priority. Returns 0 or -1.
int machine_make_idle(int process);

// Has the sockets that this thread makes from now on belong to a user, as if one of theirs had made them. Returns whether
// the process may do that, as root may.
int machine_be_user(unsigned int user);
