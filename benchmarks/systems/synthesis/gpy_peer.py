"""Trains GPy's GPLVM in a Python of its own: ``PYTHON gpy_peer.py IN.npz OUT.npz``. See latent_training.py."""

import json
import sys
import time

import GPy
import numpy as np


def main(given, output):
    data = np.load(given)
    values, start = data["values"], data["start"]
    variance, length, noise = data["kernel"].tolist()
    kernel = GPy.kern.RBF(start.shape[1], variance=variance, lengthscale=length)
    inducing = int(data["inducing"])
    if inducing:
        model = GPy.models.SparseGPLVM(values, start.shape[1], X=start.copy(), kernel=kernel, num_inducing=inducing)
    else:
        model = GPy.models.GPLVM(values, start.shape[1], X=start.copy(), kernel=kernel)
    model.likelihood.variance = noise - 1e-8  # GPy adds this jitter
    first = np.squeeze(model.log_likelihood()).item()
    begin = time.process_time()
    model.optimize("lbfgs", max_iters=int(data["iterations"]), messages=False)
    about = {
        "numpy": np.__version__,
        "gpy": GPy.__version__,
        "start": first,
        "end": np.squeeze(model.log_likelihood()).item(),
        "process": time.process_time() - begin,
    }
    np.savez(output, about=json.dumps(about), points=np.asarray(model.X))


if __name__ == "__main__":
    main(*sys.argv[1:])
