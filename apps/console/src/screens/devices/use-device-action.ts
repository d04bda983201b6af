import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { showToast } from '@holdfast/workspace'
import { messageOf, request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'

/** Path of a device below `/console/v1`. */
export function devicePath({ userId, clientId }: { readonly userId: string; readonly clientId: string }): string {
  return `/devices/${encodeURIComponent(userId)}/${encodeURIComponent(clientId)}`
}

/** Does something to a device, then loads it again. @param done - said on success */
export function useDeviceAction(path: string, done: string): UseMutationResult<unknown, unknown, void> {
  return useMutation({
    mutationFn: () => request(`POST ${path}`),
    onSuccess: async () => {
      showToast({ text: done })
      await queryClient.invalidateQueries({ queryKey: ['device'] })
    },
    onError: (error) => showToast({ text: messageOf(error) }),
  })
}
