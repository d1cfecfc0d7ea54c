/**
 * One lock for the whole process. GDAL's initialisation is not reentrant, so threads of all pools load their copies of
 * the binding one after another. Every worker gets the lock as `workerData.loadLock`.
 */
export const loadLock = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
