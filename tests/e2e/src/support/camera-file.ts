import { fileURLToPath } from 'node:url'

/** What the camera of every browser shows: a video that a journey writes before it opens the camera. */
export const CAMERA_FILE = fileURLToPath(new URL('../../../../test-results/camera.y4m', import.meta.url))
