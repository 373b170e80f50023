#pragma once

// GNU libmicrohttpd, which serves HTTP. It is loaded when it is first needed: its own libraries, one for TLS
// among them, would cost each start of the program some milliseconds, and most never have a panel.

#include <microhttpd.h>
#include <sys/socket.h>

/// The functions of the library that are used here.
struct httpd_library {
  __typeof__(&MHD_stop_daemon) stop_daemon;
  __typeof__(&MHD_add_connection) add_connection;
  __typeof__(&MHD_suspend_connection) suspend_connection;
  __typeof__(&MHD_resume_connection) resume_connection;
  __typeof__(&MHD_get_connection_values) get_connection_values;
  __typeof__(&MHD_create_response_from_buffer) create_response_from_buffer;
  __typeof__(&MHD_create_response_from_callback) create_response_from_callback;
  __typeof__(&MHD_add_response_header) add_response_header;
  __typeof__(&MHD_queue_response) queue_response;
  __typeof__(&MHD_destroy_response) destroy_response;
  __typeof__(&MHD_get_version) get_version;
};

/// The settings of a daemon.
struct httpd_settings {
  /// How many connections there may be.
  unsigned int most_connections;
  /// The largest memory of one connection for its requests, in bytes.
  size_t memory;
  /// After how many seconds one ends that neither reads nor writes.
  unsigned int timeout;
  MHD_AccessHandlerCallback access;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback notify;
  /// The argument of all three.
  void *closure;
};

/// The library; null when the machine has none. Thread-safe.
const struct httpd_library *httpd_load(void);

/// Starts a daemon with a thread of its own; null when it cannot be. MHD_start_daemon is variadic, which Swift cannot
/// call.
struct MHD_Daemon *httpd_start(const struct httpd_settings *settings);

/// The descriptor of a connection's socket; negative when there is none. MHD_get_connection_info is variadic.
int httpd_descriptor(struct MHD_Connection *connection);
