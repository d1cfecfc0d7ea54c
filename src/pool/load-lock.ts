/**
 * One lock for the whole process: GDAL's initialisation is not reentrant, so threads load their copy of the binding one
 * after another, whichever pool they belong to. Handed to every worker as `workerData.loadLock`.
 */
export const loadLock = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
