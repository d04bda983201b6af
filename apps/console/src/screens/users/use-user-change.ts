import type { UseMutationResult } from '@tanstack/react-query'
import { type Change, useChange } from '../../lib/use-change.ts'

/** Changes a user, then loads them again. @param done - said on success */
export function useUserChange(id: string, done: string): UseMutationResult<unknown, unknown, Change> {
  return useChange(done, [['user', id], ['users']])
}
