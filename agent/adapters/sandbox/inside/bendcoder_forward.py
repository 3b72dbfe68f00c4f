"""Runs set-up's command with a way to the proxy: a loopback port in here, relayed to the socket we were shown.

    python bendcoder_forward.py SOCKET program argument...

Nothing here decides what may be reached: the proxy on the other side does. Exits as the command does.
"""

import contextlib
import os
import socket
import subprocess
import sys
import threading

CHUNK = 65536


def hang_up(end, how):
    """Close one direction; closed already is fine."""
    with contextlib.suppress(OSError):
        end.shutdown(how)


def carry(source, sink):
    """Copy bytes one way until either end is done."""
    try:
        while True:
            data = source.recv(CHUNK)
            if not data:
                break
            sink.sendall(data)
    except OSError:
        pass
    finally:
        hang_up(sink, socket.SHUT_WR)


def serve(client, path):
    """Carry one connection to the proxy and back."""
    far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        far.connect(path)
        upwards = threading.Thread(target=carry, args=(client, far), daemon=True)
        upwards.start()
        carry(far, client)
        # the proxy has closed: whatever the client would still say is heard by nobody
        hang_up(client, socket.SHUT_RD)
        upwards.join()
    except OSError:
        pass
    finally:
        far.close()
        client.close()


def listen(listener, path):
    """A thread for each connection."""
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=serve, args=(client, path), daemon=True).start()


def main(path, argv):
    """Run the command with the proxy's variables; its exit code as a shell would tell it."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    threading.Thread(target=listen, args=(listener, path), daemon=True).start()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    variables = dict(os.environ)
    for name in ("http_proxy", "https_proxy"):
        variables[name] = variables[name.upper()] = address
    variables["no_proxy"] = variables["NO_PROXY"] = "localhost,127.0.0.1,::1"
    try:
        code = subprocess.call(argv, env=variables)
    except FileNotFoundError:
        sys.stderr.write(f"command not found: {argv[0]}\n")
        return 127
    except OSError as error:
        sys.stderr.write(f"the command cannot be run: {error}\n")
        return 126
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.stdout.flush()
    os._exit(main(sys.argv[1], sys.argv[2:]))
