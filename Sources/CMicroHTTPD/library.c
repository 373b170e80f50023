#include "CMicroHTTPD.h"

#include <dlfcn.h>
#include <pthread.h>

static struct httpd_library library;
static __typeof__(&MHD_start_daemon) start_daemon;
static __typeof__(&MHD_get_connection_info) get_connection_info;
static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Each of them takes its place in turn: one that is missing makes the library another than the one this is built for.
#define FIND(place, name) \
  if (!((place) = (__typeof__(place))dlsym(handle, "MHD_" #name))) return

static void load(void) {
  // The name that programs have which are linked with it.
  void *handle = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return;
  FIND(start_daemon, start_daemon);
  FIND(get_connection_info, get_connection_info);
  FIND(library.stop_daemon, stop_daemon);
  FIND(library.add_connection, add_connection);
  FIND(library.suspend_connection, suspend_connection);
  FIND(library.resume_connection, resume_connection);
  FIND(library.get_connection_values, get_connection_values);
  FIND(library.create_response_from_buffer, create_response_from_buffer);
  FIND(library.create_response_from_callback, create_response_from_callback);
  FIND(library.add_response_header, add_response_header);
  FIND(library.queue_response, queue_response);
  FIND(library.destroy_response, destroy_response);
  FIND(library.get_version, get_version);
  is_loaded = 1;
}

const struct httpd_library *httpd_load(void) {
  pthread_once(&once, load);
  return is_loaded ? &library : NULL;
}

struct MHD_Daemon *httpd_start(const struct httpd_settings *settings) {
  if (httpd_load() == NULL) return NULL;
  // It accepts nothing by itself: all connections are handed over. Versions from 1.0 on accept a request that
  // bends the protocol, and answer it by a redirection, by default.
  return start_daemon(
      MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET |  //
          MHD_USE_PEDANTIC_CHECKS,                                                                        //
      0, NULL, NULL, settings->access, settings->closure,                                                //
      MHD_OPTION_CONNECTION_LIMIT, settings->most_connections,                                           //
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->memory,                                              //
      MHD_OPTION_CONNECTION_TIMEOUT, settings->timeout,                                                  //
      MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->closure,                               //
      MHD_OPTION_NOTIFY_CONNECTION, settings->notify, settings->closure,                                 //
      MHD_OPTION_END);
}

int httpd_descriptor(struct MHD_Connection *connection) {
  if (httpd_load() == NULL) return -1;
  const union MHD_ConnectionInfo *info = get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}
