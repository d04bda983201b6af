import type { Attachments } from '@holdfast/client'
import { useLocalDatabase } from './use-device.ts'

/** The files of the person whose database is open. */
export function useAttachments(): Attachments {
  const { attachments } = useLocalDatabase()
  if (!attachments)
    throw new Error('createClient() was given no attachments: say where files are kept and which rows name them')
  return attachments
}
