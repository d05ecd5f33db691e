/* Is this build sanitized? Sanitizers reserve more address space than any limit allows, and clang
 * 14's allocator has no fork handlers. */
#ifndef HD_BASE_SANITIZED_H
#define HD_BASE_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HD_SANITIZED 1
#endif
#endif
#ifndef HD_SANITIZED
#define HD_SANITIZED 0
#endif

#endif
