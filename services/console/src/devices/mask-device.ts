import type { DeviceDetails, ListedDevice, ListedUpload } from '@holdfast/protocol'
import { maskEmail } from '../users/mask.ts'

/** Hides what viewers may not see: address, network address, app metadata. */
export function maskDevice(device: ListedDevice): ListedDevice {
  return {
    ...device,
    email: maskEmail(device.email),
    address: null,
    appMetadata: device.appMetadata && Object.fromEntries(Object.keys(device.appMetadata).map((name) => [name, '•••'])),
  }
}

/** Hides values of rows too, which messages of Postgres quote. */
export function maskDetails(details: DeviceDetails): DeviceDetails {
  return {
    ...details,
    device: maskDevice(details.device),
    uploads: details.uploads.map((upload) => ({ ...upload, problems: upload.problems.map(maskProblem) })),
    rejections: details.rejections.map((group) => ({ ...group, message: HIDDEN })),
    uploadProblem: details.uploadProblem && { ...details.uploadProblem, message: HIDDEN },
  }
}

const HIDDEN = 'Shown to developers only.'

function maskProblem(problem: ListedUpload['problems'][number]): ListedUpload['problems'][number] {
  if (problem.status === 'no_row') return problem
  if (problem.status === 'conflict')
    return { op_id: problem.op_id, status: 'conflict', message: problem.message, current: {} }
  const { detail: _detail, hint: _hint, ...others } = problem
  return { ...others, message: HIDDEN }
}
