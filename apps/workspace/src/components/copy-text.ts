import { errorMessages } from '../messages/errors.ts'
import { showToast } from './toast.tsx'

/**
 * Copies a visible text and announces success or failure.
 *
 * @param copied - message on success
 * @param denied - message if the browser refused
 */
export async function copyText(
  text: string,
  copied: string,
  denied: string = errorMessages.clipboardDenied,
): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    showToast({ text: copied })
  } catch {
    showToast({ text: denied })
  }
}
