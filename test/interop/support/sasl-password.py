"""Writes one password into the SASL data base that SASL_CONF_PATH's pmcd.conf names. Arguments: user, password."""
import ctypes
import sys

SET_CREATE = 1
sasl = ctypes.CDLL("libsasl2.so.2")
connection = ctypes.c_void_p()
user, password = sys.argv[1].encode(), sys.argv[2].encode()
status = sasl.sasl_server_init(None, b"pmcd")
status = status or sasl.sasl_server_new(b"pmcd", None, None, None, None, None, 0, ctypes.byref(connection))
status = status or sasl.sasl_setpass(connection, user, password, len(password), None, 0, SET_CREATE)
sys.exit(0 if status == 0 else 1)
