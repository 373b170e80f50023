#include "CMachine.h"

#include <sys/fsuid.h>

int machine_be_user(unsigned int user) {
  setfsuid(user);
  // It says which user it was before, and never whether it has changed that.
  return (unsigned int)setfsuid(-1) == user;
}
